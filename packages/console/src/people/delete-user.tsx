import { type ReactNode, useState } from 'react'
import type { User } from 'worklore-client'
import { Confirm } from '../components/confirm'
import { useConsole } from '../store/console'

export const DeleteUser = ({ user, onClose }: { user: User; onClose: () => void }): ReactNode => {
  const { client, users, toasts } = useConsole()
  const [isErased, setIsErased] = useState(false)
  return (
    <Confirm
      title={`Delete ${user.name}?`}
      action="Delete"
      isDangerous
      run={async () => {
        await client.users.delete(user.id, { erase: isErased })
        users.remove(user.id)
        toasts.info(`${user.name} is deleted`)
      }}
      onClose={onClose}
    >
      <p>Their keys stop working at once, and their tasks are unassigned. This cannot be undone.</p>
      <label className="check">
        <input type="checkbox" checked={isErased} onChange={(event) => setIsErased(event.target.checked)} />
        <span>
          Also erase the name and email from the past
          <small>Events, history, webhook deliveries and the audit log will say “deleted user”.</small>
        </span>
      </label>
    </Confirm>
  )
}
