import { type ReactNode, Suspense, useState } from 'react'
import type { User } from 'worklore-client'
import { Avatar } from '../components/avatar'
import { IconButton } from '../components/button'
import { onDemand } from '../components/on-demand'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'

const UserForm = onDemand(() => import('./user-form').then(({ UserForm }) => ({ default: UserForm })))

/** Users, people and agents, and the handles that they are mentioned by. */
export const People = (): ReactNode => {
  const list = useObservable(useConsole().users.list)
  const [editing, setEditing] = useState<User | null>(null)
  if (list.length === 0) return <p className="muted">Nobody yet. Invite someone, or create a user for an agent.</p>
  return (
    <>
      <ul className="rows">
        {list.map((user) => (
          <li key={user.id} className="row">
            <Avatar name={user.name} isAgent={user.kind === 'agent'} />
            <span className="row-main">
              <span className="row-title">
                {user.name} {user.kind === 'agent' && <span className="badge">agent</span>}
              </span>
              <small>
                @{user.handle}
                {user.email && ` · ${user.email}`}
              </small>
            </span>
            <IconButton icon="edit" label={`Edit ${user.name}`} onClick={() => setEditing(user)} />
          </li>
        ))}
      </ul>
      <Suspense>{editing && <UserForm user={editing} onClose={() => setEditing(null)} />}</Suspense>
    </>
  )
}
