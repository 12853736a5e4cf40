import { type FormEvent, type ReactNode, useState } from 'react'
import type { User } from 'worklore-client'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot } from '../components/form'
import { useConsole } from '../store/console'

export const UserForm = ({ user, onClose }: { user: User; onClose: () => void }): ReactNode => {
  const { client, users, toasts } = useConsole()
  const [name, setName] = useState(user.name)
  const [handle, setHandle] = useState(user.handle)
  const [email, setEmail] = useState(user.email ?? '')
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSaving(true)
    try {
      users.put(await client.users.update(user.id, { name, handle, email: email || null }))
      toasts.info(`${name} is saved`)
      onClose()
    } catch (cause) {
      setError(cause)
      setIsSaving(false)
    }
  }
  return (
    <Dialog title={`Edit ${user.name}`} onClose={onClose}>
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
              <label htmlFor="user-handle">Handle</label>
              <input
                id="user-handle"
                className="input mono"
                value={handle}
                required
                pattern="[a-z0-9\-]{2,32}"
                title="2 to 32 of a-z, 0-9 and -"
                onChange={(event) => setHandle(event.target.value.toLowerCase())}
              />
            </div>
          </div>
          <p className="field-hint">
            @{handle || 'handle'} in a comment, a description or a question notifies {name}.
          </p>
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
          <FormError error={error} />
        </div>
        <FormFoot submit="Save" isDisabled={isSaving || name.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
