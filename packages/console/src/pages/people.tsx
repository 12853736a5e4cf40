import { type ReactNode, useEffect, useState } from 'react'
import type { User } from 'worklore-client'
import { errorText } from '../api/error-text'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Icon } from '../components/icons'
import { Empty } from '../components/states'
import { InviteForm } from '../keys/invite-form'
import { UserForm } from '../keys/user-form'
import { Page } from '../layout/page'
import { DeleteUser } from '../people/delete-user'
import { PeopleTable } from '../people/people-table'
import { useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useMe, useUsers } from '../store/records'
import '../styles/manage.css'
import '../styles/people.css'

const kinds: [kind: User['kind'] | undefined, name: string][] = [
  [undefined, 'Everyone'],
  ['human', 'People'],
  ['agent', 'Agents'],
]

type Overlay = { is: 'invite' | 'create' } | { is: 'edit' | 'delete'; user: User }

const isMatch = ({ name, handle, email }: User, wanted: string): boolean =>
  [name, handle, email ?? ''].some((text) => text.toLowerCase().includes(wanted))

export const PeoplePage = (): ReactNode => {
  const { keys, toasts } = useConsole()
  const users = useUsers()
  const isAdmin = hasScope(useMe(), 'admin')
  const query = useQuery()
  const setQuery = useSetQuery()
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const close = (): void => setOverlay(null)
  useEffect(() => {
    if (isAdmin) keys.load().catch((error) => toasts.error(`Could not load the keys. ${errorText(error)}`))
  }, [keys, isAdmin, toasts])
  const wanted = (query.q ?? '').trim().toLowerCase()
  const shown = users.list.filter((user) => (!query.kind || user.kind === query.kind) && isMatch(user, wanted))
  return (
    <Page
      title="People"
      actions={
        isAdmin && (
          <>
            <Button icon="plus" onClick={() => setOverlay({ is: 'create' })} aria-label="New user">
              <span className="desktop-only">New user</span>
            </Button>
            <Button kind="primary" icon="user" onClick={() => setOverlay({ is: 'invite' })}>
              Invite
            </Button>
          </>
        )
      }
      toolbar={
        <>
          <div className="segmented" role="group" aria-label="Kind">
            {kinds.map(([kind, name]) => (
              <button
                key={name}
                type="button"
                aria-pressed={query.kind === kind}
                onClick={() => setQuery({ kind }, { replace: true })}
              >
                {name}
              </button>
            ))}
          </div>
          <div className="search-input">
            <Icon name="search" size={14} />
            <input
              type="search"
              aria-label="Filter by name, handle or email"
              placeholder="Name, handle or email"
              value={query.q ?? ''}
              onChange={(event) => setQuery({ q: event.target.value }, { replace: true })}
            />
          </div>
        </>
      }
    >
      <div className="page-body">
        <div className="page-content">
          {users.list.length === 0 ? (
            <Empty icon="user" title="Nobody yet">
              <p>
                Invite a person, or create a user for an agent. Tasks are assigned to them, and @handle notifies them.
              </p>
            </Empty>
          ) : shown.length === 0 ? (
            <Empty icon="search" title="Nobody matches">
              <p>Try another name, or remove the filter.</p>
            </Empty>
          ) : (
            <PeopleTable
              people={shown}
              isAdmin={isAdmin}
              onEdit={(user) => setOverlay({ is: 'edit', user })}
              onDelete={(user) => setOverlay({ is: 'delete', user })}
            />
          )}
        </div>
      </div>
      {overlay?.is === 'invite' && <InviteForm onClose={close} />}
      {overlay?.is === 'create' && <UserForm onClose={close} />}
      {overlay?.is === 'edit' && <UserForm user={overlay.user} onClose={close} />}
      {overlay?.is === 'delete' && <DeleteUser user={overlay.user} onClose={close} />}
    </Page>
  )
}
