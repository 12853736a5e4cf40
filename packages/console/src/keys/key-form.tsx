import { type FormEvent, type ReactNode, useState } from 'react'
import type { ApiKey, ApiKeyWithSecret } from 'worklore-client'
import type { Scope } from '../api/permissions'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'

const scopes: [scope: Scope, what: string][] = [
  ['tasks:read', 'See tasks and comments'],
  ['tasks:write', 'Create, change and claim tasks'],
  ['knowledge:read', 'Read knowledge'],
  ['knowledge:write', 'Write knowledge'],
  ['admin', 'Everything, projects, people, keys and webhooks included'],
]

const dayMs = 86_400_000
const expiries: { value: number | null; label: string }[] = [
  { value: null, label: 'Never' },
  { value: 7, label: 'In 7 days' },
  { value: 30, label: 'In 30 days' },
  { value: 90, label: 'In 90 days' },
  { value: 365, label: 'In a year' },
]

interface KeyFormProps {
  apiKey?: ApiKey
  onCreated: (key: ApiKeyWithSecret) => void
  onClose: () => void
}

export const KeyForm = ({ apiKey, onCreated, onClose }: KeyFormProps): ReactNode => {
  const { client, keys, projects, users, toasts } = useConsole()
  const projectList = useObservable(projects.list)
  const userList = useObservable(users.list)
  const [name, setName] = useState(apiKey?.name ?? '')
  const [chosen, setChosen] = useState<Scope[]>(apiKey?.scopes ?? ['tasks:write', 'knowledge:write'])
  const [projectIds, setProjectIds] = useState<string[]>(apiKey?.projectIds ?? [])
  const [userId, setUserId] = useState<string | null>(apiKey?.userId ?? null)
  const [expiry, setExpiry] = useState<number | null | undefined>(apiKey ? undefined : null)
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)

  const toggle = <T,>(list: T[], value: T): T[] =>
    list.includes(value) ? list.filter((each) => each !== value) : [...list, value]

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSaving(true)
    const fields = {
      name,
      scopes: chosen,
      projectIds: projectIds.length > 0 ? projectIds : null,
      userId,
      ...(expiry !== undefined && {
        expiresAt: expiry === null ? null : new Date(Date.now() + expiry * dayMs).toISOString(),
      }),
    }
    try {
      if (apiKey) {
        keys.put(await client.keys.update(apiKey.id, fields))
        toasts.info(`${name} is saved`)
        onClose()
      } else {
        const created = await client.keys.create(fields)
        const { key: _, ...stored } = created
        keys.put(stored)
        onCreated(created)
      }
    } catch (cause) {
      setError(cause)
      setIsSaving(false)
    }
  }

  return (
    <Dialog title={apiKey ? `Edit ${apiKey.name}` : 'New key'} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="form-row">
            <div className="field">
              <label htmlFor="key-name">Name</label>
              <input
                id="key-name"
                className="input"
                placeholder="agent-7"
                value={name}
                required
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="field">
              <span className="field-label">Belongs to</span>
              <Picker
                label="Belongs to"
                className="block"
                choices={[
                  { value: null, label: 'Nobody' },
                  ...userList.map((user) => ({ value: user.id as string | null, label: user.name, hint: user.kind })),
                ]}
                selected={[userId]}
                onChoose={setUserId}
              >
                {users.get(userId ?? '')?.name ?? 'Nobody'}
                <Icon name="down" size={14} />
              </Picker>
            </div>
          </div>
          <fieldset className="field">
            <legend>Scopes</legend>
            {scopes.map(([scope, what]) => (
              <label key={scope} className="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(scope)}
                  onChange={() => setChosen((list) => toggle(list, scope))}
                />
                <span>
                  {scope}
                  <small>{what}</small>
                </span>
              </label>
            ))}
          </fieldset>
          <fieldset className="field">
            <legend>Projects</legend>
            <p className="field-hint">Choose none to allow all of them.</p>
            <div className="check-columns">
              {projectList.map((project) => (
                <label key={project.id} className="check">
                  <input
                    type="checkbox"
                    checked={projectIds.includes(project.id)}
                    disabled={chosen.includes('admin')}
                    onChange={() => setProjectIds((list) => toggle(list, project.id))}
                  />
                  <span className="truncate">{project.name}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <div className="field">
            <span className="field-label">Expires</span>
            <Picker
              label="Expires"
              className="block"
              choices={[...(apiKey ? [{ value: undefined, label: 'As before' }] : []), ...expiries]}
              selected={[expiry]}
              onChoose={setExpiry}
            >
              {expiry === undefined ? 'As before' : expiries.find(({ value }) => value === expiry)?.label}
              <Icon name="down" size={14} />
            </Picker>
          </div>
          <FormError error={error} />
        </div>
        <FormFoot
          submit={apiKey ? 'Save' : 'Create key'}
          isDisabled={isSaving || chosen.length === 0}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
