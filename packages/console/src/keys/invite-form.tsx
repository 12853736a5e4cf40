import { type ReactNode, useState } from 'react'
import type { ConsoleLink, User } from 'worklore-client'
import type { Scope } from '../api/permissions'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { exactTime } from '../components/time'
import { useConsole } from '../store/console'
import { SecretDialog } from './secret-dialog'
import '../styles/radio.css'

const roles: [name: string, what: string, scopes: Scope[], role: User['role']][] = [
  ['Member', 'Works on tasks and knowledge', ['tasks:write', 'knowledge:write'], 'member'],
  ['Reader', 'Sees everything, changes nothing', ['tasks:read', 'knowledge:read'], 'member'],
  ['Admin', 'Also manages projects, keys and webhooks', ['admin'], 'admin'],
]

const validities = [
  { value: 600, label: '10 minutes' },
  { value: 86_400, label: '1 day' },
  { value: 7 * 86_400, label: '7 days' },
]

/** Makes a user, a key and a link that signs them in once. */
export const InviteForm = ({ onClose }: { onClose: () => void }): ReactNode => {
  const { client, users, keys } = useConsole()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(0)
  const [seconds, setSeconds] = useState(86_400)
  const [link, setLink] = useState<ConsoleLink>()

  const { submit, isBusy, error } = useSubmit(async () => {
    const user = await client.users.create({ name, email: email || null, kind: 'human', role: roles[role]![3] })
    users.put(user)
    const { key: _, ...key } = await client.keys.create({
      name: `${name} (console)`,
      scopes: roles[role]![2],
      userId: user.id,
    })
    keys.put(key)
    setLink(await client.keys.consoleLink(key.id, { expiresInSeconds: seconds }))
  })

  if (link) {
    return (
      <SecretDialog
        title={`${name} is invited`}
        secret={link.path && location.origin + link.path}
        lost="The answer was lost on the way. Make another link from the menu of the key."
        onClose={onClose}
      >
        Send this link to {name}. It works once, until {exactTime(link.expiresAt)}.
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
          <div className="field">
            <span className="field-label">The link works for</span>
            <Picker
              label="The link works for"
              className="block"
              choices={validities}
              selected={[seconds]}
              onChoose={setSeconds}
            >
              {validities.find(({ value }) => value === seconds)?.label}
              <Icon name="down" size={14} />
            </Picker>
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit="Invite" isDisabled={isBusy || name.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
