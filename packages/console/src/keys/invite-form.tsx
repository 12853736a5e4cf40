import { type FormEvent, type ReactNode, useState } from 'react'
import type { Scope } from '../api/permissions'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot } from '../components/form'
import { useConsole } from '../store/console'
import { SecretDialog } from './secret-dialog'

const roles: [name: string, what: string, scopes: Scope[]][] = [
  ['Member', 'Works on tasks and knowledge', ['tasks:write', 'knowledge:write']],
  ['Reader', 'Sees everything, changes nothing', ['tasks:read', 'knowledge:read']],
  ['Admin', 'Also manages projects, keys and webhooks', ['admin']],
]

/** Makes a user, a key and a link that signs them in once. */
export const InviteForm = ({ onClose }: { onClose: () => void }): ReactNode => {
  const { client, users, keys } = useConsole()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(0)
  const [link, setLink] = useState<string | null>(null)
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSaving(true)
    try {
      const user = await client.users.create({ name, email: email || null, kind: 'human' })
      users.put(user)
      const { key: _, ...key } = await client.keys.create({
        name: `${name} (console)`,
        scopes: roles[role]![2],
        userId: user.id,
      })
      keys.put(key)
      const { path } = await client.keys.consoleLink(key.id)
      setLink(path ? location.origin + path : null)
    } catch (cause) {
      setError(cause)
    }
    setIsSaving(false)
  }

  if (link) {
    return (
      <SecretDialog title={`${name} is invited`} secret={link} onClose={onClose}>
        Send this link to {name}. It works once, for 10 minutes.
      </SecretDialog>
    )
  }
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="form-row">
            <div className="field">
              <label htmlFor="invite-name">Name</label>
              <input
                id="invite-name"
                className="input"
                value={name}
                required
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor="invite-email">Email, optional</label>
              <input
                id="invite-email"
                className="input"
                type="email"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            </div>
          </div>
          <fieldset className="field">
            <legend>Role</legend>
            {roles.map(([title, what], index) => (
              <label key={title} className="check radio">
                <input type="radio" name="role" checked={role === index} onChange={() => setRole(index)} />
                <span>
                  {title}
                  <small>{what}</small>
                </span>
              </label>
            ))}
          </fieldset>
          <FormError error={error} />
        </div>
        <FormFoot submit="Invite" isDisabled={isSaving || name.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
