import { type ReactNode, useState } from 'react'
import type { ApiKeyWithSecret, CreateKeyBody } from 'worklore-client'
import { agentScopes } from 'worklore-client/setup'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { ExpiryPicker, expiresAtOf } from '../keys/expiry-picker'
import { ProjectChoice } from '../keys/project-choice'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'
import { ConnectTexts } from './connect-texts'
import '../styles/manage.css'
import '../styles/radio.css'

const permissions: [title: string, what: string, scopes: CreateKeyBody['scopes']][] = [
  ['Work', 'Takes tasks, writes tasks and knowledge', [...agentScopes]],
  ['Work on tasks', 'Takes and writes tasks, only reads knowledge', ['tasks:write', 'knowledge:read']],
  ['Read', 'Sees everything, changes nothing', ['tasks:read', 'knowledge:read']],
]

/** The first of agent-1, agent-2 and so on that nobody is called. */
const freeName = (taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number++) if (!taken.has(`agent-${number}`)) return `agent-${number}`
}

interface ConnectFormProps {
  onCreated: (key: ApiKeyWithSecret) => void
  onClose: () => void
}

const ConnectForm = ({ onCreated, onClose }: ConnectFormProps): ReactNode => {
  const { client } = useConsole()
  const users = useUsers()
  const [name, setName] = useState(() => freeName(new Set(users.list.map((user) => user.name))))
  const [permission, setPermission] = useState(0)
  const [projectIds, setProjectIds] = useState<string[]>([])
  const [days, setDays] = useState<number | null>(null)

  const { submit, isBusy, error } = useSubmit(async () => {
    const key = await client.keys.create({
      name,
      user: { name },
      scopes: permissions[permission]![2],
      projectIds: projectIds.length > 0 ? projectIds : null,
      expiresAt: expiresAtOf(days),
    })
    onCreated(key)
  })

  return (
    <Dialog title="Connect an agent" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="form-row">
            <div className="field">
              <label htmlFor="agent-name">Name</label>
              <input
                id="agent-name"
                className="input"
                value={name}
                required
                onFocus={(event) => event.target.select()}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="field">
              <span className="field-label">Expires</span>
              <ExpiryPicker days={days} onChoose={setDays} />
            </div>
          </div>
          <fieldset className="field">
            <legend>What it may do</legend>
            {permissions.map(([title, what], index) => (
              <label key={title} className="check radio">
                <input
                  type="radio"
                  name="permission"
                  checked={permission === index}
                  onChange={() => setPermission(index)}
                />
                <span>
                  {title}
                  <small>{what}</small>
                </span>
              </label>
            ))}
          </fieldset>
          <ProjectChoice chosen={projectIds} onChange={setProjectIds} />
          <FormError error={error} />
        </div>
        <FormFoot submit="Create agent" isDisabled={isBusy || name.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** Creates an agent with a key, shows how to connect it, and waits for its first call. */
const ConnectAgent = ({ onClose }: { onClose: () => void }): ReactNode => {
  const [created, setCreated] = useState<ApiKeyWithSecret | null>(null)
  return created ? (
    <ConnectTexts apiKey={created} onClose={onClose} />
  ) : (
    <ConnectForm onCreated={setCreated} onClose={onClose} />
  )
}

export default ConnectAgent
