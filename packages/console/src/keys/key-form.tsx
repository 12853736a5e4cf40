import { type ReactNode, useState } from 'react'
import type { ApiKey, ApiKeyWithSecret } from 'worklore-client'
import type { Scope } from '../api/permissions'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'
import { ExpiryPicker, expiresAtOf } from './expiry-picker'
import { ProjectChoice, toggle } from './project-choice'

const scopes: [scope: Scope, what: string][] = [
  ['tasks:read', 'See tasks and comments'],
  ['tasks:write', 'Create, change and claim tasks'],
  ['knowledge:read', 'Read knowledge'],
  ['knowledge:write', 'Write knowledge'],
  ['admin', 'Everything, projects, people, keys and webhooks included'],
]

interface KeyFormProps {
  apiKey?: ApiKey
  onCreated: (key: ApiKeyWithSecret) => void
  onClose: () => void
}

export const KeyForm = ({ apiKey, onCreated, onClose }: KeyFormProps): ReactNode => {
  const { client, keys, toasts } = useConsole()
  const users = useUsers()
  const [name, setName] = useState(apiKey?.name ?? '')
  const [chosen, setChosen] = useState<Scope[]>(apiKey?.scopes ?? ['tasks:write', 'knowledge:write'])
  const [projectIds, setProjectIds] = useState<string[]>(apiKey?.projectIds ?? [])
  const [userId, setUserId] = useState<string | null>(apiKey?.userId ?? null)
  const [expiry, setExpiry] = useState<number | null | undefined>(apiKey ? undefined : null)

  const { submit, isBusy, error } = useSubmit(async () => {
    const fields = {
      name,
      scopes: chosen,
      projectIds: projectIds.length > 0 ? projectIds : null,
      userId,
      ...(expiry !== undefined && { expiresAt: expiresAtOf(expiry) }),
    }
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
  })

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
                  ...users.list.map((user) => ({ value: user.id as string | null, label: user.name, hint: user.kind })),
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
          <ProjectChoice chosen={projectIds} onChange={setProjectIds} isDisabled={chosen.includes('admin')} />
          <div className="field">
            <span className="field-label">Expires</span>
            <ExpiryPicker days={expiry} canStay={apiKey !== undefined} onChoose={setExpiry} />
          </div>
          <FormError error={error} />
        </div>
        <FormFoot
          submit={apiKey ? 'Save' : 'Create key'}
          isDisabled={isBusy || chosen.length === 0}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
