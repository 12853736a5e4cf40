import type { ReactNode } from 'react'
import type { Question } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { Avatar } from '../../components/avatar'
import { Time } from '../../components/time'
import { useUsers } from '../../store/records'

/** Who asks whom, and since when. */
export const AskedBy = ({ question: { createdBy, to, createdAt } }: { question: Question }): ReactNode => {
  const users = useUsers()
  const { name, isAgent } = actorOf(users, createdBy)
  return (
    <span className="asked-by">
      <Avatar name={name} isAgent={isAgent} />
      <b>{name}</b> asks {to === null ? 'anyone' : (users.get(to)?.name ?? 'a deleted user')}
      <span className="muted">
        <Time at={createdAt} />
      </span>
    </span>
  )
}
