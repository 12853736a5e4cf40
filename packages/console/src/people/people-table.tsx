import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ApiKey, User } from 'worklore-client'
import { Avatar } from '../components/avatar'
import { countOf } from '../components/count'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { Time } from '../components/time'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useKeyRecords } from '../store/records'
import '../styles/data-table.css'

const roleNames: Record<User['role'], string> = { admin: 'Admin', member: 'Member', none: 'None' }
/** Keys named in a row; more are counted. */
const shownKeys = 2

const lastUseOf = (keys: readonly ApiKey[]): string | undefined =>
  keys
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .sort()
    .at(-1)

const Keys = ({ keys }: { keys: readonly ApiKey[] }): ReactNode =>
  keys.length === 0 ? (
    'none'
  ) : (
    <span className="person-keys">
      {keys.slice(0, shownKeys).map(({ id, name }) => (
        <Link key={id} to="/agents/$keyId" params={{ keyId: id }} className="link truncate">
          {name}
        </Link>
      ))}
      {keys.length > shownKeys && (
        <Link to="/keys" className="link">
          and {countOf(keys.length - shownKeys, 'other')}
        </Link>
      )}
    </span>
  )

interface PeopleTableProps {
  people: readonly User[]
  /** An admin sees keys and can change people. */
  isAdmin: boolean
  onEdit: (user: User) => void
  onDelete: (user: User) => void
}

/** People and agents, with their roles, keys and when they were last seen. */
export const PeopleTable = ({ people, isAdmin, onEdit, onDelete }: PeopleTableProps): ReactNode => {
  const { me } = useConsole()
  const keys = useKeyRecords()
  const ownId = useObservable(me).user?.id
  const keyList = keys.list
  const areKeysLoaded = keys.isLoaded
  return (
    <div className="table-wrap">
      <table className="data-table stacks">
        <thead>
          <tr>
            <th>Name</th>
            <th>Handle</th>
            <th>Role</th>
            {isAdmin && (
              <>
                <th>Last seen</th>
                <th>Keys</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {people.map((user) => {
            const own = keyList.filter(({ userId }) => userId === user.id)
            const lastSeen = lastUseOf(own)
            return (
              <tr key={user.id}>
                <td>
                  <span className="cell-flex">
                    <Avatar name={user.name} isAgent={user.kind === 'agent'} />
                    <span className="person">
                      <span className="row-title">
                        {user.name} {user.kind === 'agent' && <span className="badge">agent</span>}{' '}
                        {user.id === ownId && <span className="badge green">you</span>}
                      </span>
                      {user.email && <small className="muted">{user.email}</small>}
                    </span>
                  </span>
                </td>
                <td data-label="Handle" className="muted mono">
                  @{user.handle}
                </td>
                <td data-label="Role">
                  <span className={user.role === 'admin' ? 'badge violet' : 'badge'}>{roleNames[user.role]}</span>
                </td>
                {isAdmin && (
                  <>
                    <td data-label="Last seen" className="muted">
                      {lastSeen ? <Time at={lastSeen} /> : areKeysLoaded ? 'never' : '…'}
                    </td>
                    <td data-label="Keys" className="muted">
                      {areKeysLoaded ? <Keys keys={own} /> : '…'}
                    </td>
                    <td className="end">
                      <ActionMenu
                        label={`Actions on ${user.name}`}
                        actions={[
                          { value: () => onEdit(user), label: 'Edit', icon: <Icon name="edit" size={14} /> },
                          ...(user.id === ownId
                            ? []
                            : [
                                {
                                  value: () => onDelete(user),
                                  label: 'Delete',
                                  icon: <Icon name="trash" size={14} />,
                                  isDangerous: true,
                                },
                              ]),
                        ]}
                      />
                    </td>
                  </>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
