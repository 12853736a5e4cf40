import { type ReactNode, useState } from 'react'
import type { User } from 'worklore-client'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { useConsole } from '../store/console'

const kindNames: Record<User['kind'], string> = { human: 'Person', agent: 'Agent' }

/** Creates a user, or edits the one given. */
export const UserForm = ({ user, onClose }: { user?: User; onClose: () => void }): ReactNode => {
  const { client, users, toasts } = useConsole()
  const [name, setName] = useState(user?.name ?? '')
  const [handle, setHandle] = useState(user?.handle ?? '')
  const [email, setEmail] = useState(user?.email ?? '')
  const [kind, setKind] = useState(user?.kind ?? 'human')
  const [role, setRole] = useState(user?.role ?? 'member')
  const { submit, isBusy, error } = useSubmit(async () => {
    const fields = { name, ...(handle && { handle }), email: email || null, kind, role }
    users.put(user ? await client.users.update(user.id, fields) : await client.users.create(fields))
    toasts.info(`${name} is ${user ? 'saved' : 'created'}`)
    onClose()
  })
  return (
    <Dialog title={user ? `Edit ${user.name}` : 'New user'} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="form-row">
            <div className="field">
              <label htmlFor="user-name">Name</label>
              <input
                id="user-name"
                className="input"
                value={name}
                required
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor="user-handle">{user ? 'Handle' : 'Handle, optional'}</label>
              <input
                id="user-handle"
                className="input mono"
                value={handle}
                required={user !== undefined}
                pattern="[a-z0-9\-]{2,32}"
                title="2 to 32 of a-z, 0-9 and -"
                onChange={(event) => setHandle(event.target.value.toLowerCase())}
              />
            </div>
          </div>
          <p className="field-hint">
            @{handle || 'handle'} in a comment, a description or a question notifies {name || 'them'}.
          </p>
          <div className="form-row">
            <div className="field">
              <label htmlFor="user-kind">Kind</label>
              <select
                id="user-kind"
                className="input"
                value={kind}
                onChange={(event) => setKind(event.target.value as User['kind'])}
              >
                {Object.entries(kindNames).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </div>
            <div className="field">
              <label htmlFor="user-email">Email, optional</label>
              <input
                id="user-email"
                className="input"
                type="email"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            </div>
          </div>
          <div className="field">
            <label htmlFor="user-role">Role</label>
            <select
              id="user-role"
              className="input"
              value={role}
              onChange={(event) => setRole(event.target.value as User['role'])}
            >
              <option value="admin">Admin: everything</option>
              <option value="member">Member: reads and writes</option>
              <option value="none">None: only projects with a role of their own</option>
            </select>
            <p className="field-hint">Binds all keys of {name || 'the user'}, from now on.</p>
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit={user ? 'Save' : 'Create'} isDisabled={isBusy || name.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
