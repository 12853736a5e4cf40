import type { ReactNode } from 'react'
import type { Project } from 'worklore-client'
import { IconButton } from '../../components/button'
import { maxFavourites, maxNameLength, useFavourites, viewAddress } from '../../favourites/store'
import { listOf, type Query } from '../../query'
import { findStatus } from '../../store/cards/statuses'
import { type Priority, priorityNames } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useUsers } from '../../store/records'
import { viewPath } from './view-path'
import '../../styles/favourites.css'

interface StarProps {
  project: Project | undefined
  view: string
  query: Query
}

/** Keeps the view, with its filters and its order, among the favourites of the sidebar. */
export const Star = ({ project, view, query }: StarProps): ReactNode => {
  const { toasts } = useConsole()
  const users = useUsers()
  const { favourites, add, remove } = useFavourites()
  const address = viewAddress(viewPath(project?.key, view), query)
  const isKept = favourites.some((each) => each.address === address)
  const nameOf = (): string => {
    const { q, status, assignee, label, priority } = query
    const filters = [
      ...(q ? [`“${q}”`] : []),
      ...listOf(status).map((each) => findStatus(project, each)?.name ?? each),
      ...listOf(assignee).map((each) => users.get(each)?.name ?? (each === 'me' ? 'mine' : 'unassigned')),
      ...listOf(label),
      ...listOf(priority).map((each) => priorityNames[each as Priority] ?? each),
      ...(query.createdBy ? ['by creator'] : []),
      ...[query.state, query.checks && `checks ${query.checks}`, query.age, query.project, query.parent].filter(
        Boolean,
      ),
      ...(query.lanes ? [`by ${query.lanes}`] : []),
    ]
    return [`${project?.name ?? 'All tasks'} ${view}`, ...filters].join(', ').slice(0, maxNameLength)
  }
  const toggle = (): void => {
    if (isKept) remove(address)
    else if (!add({ name: nameOf(), address })) toasts.error(`Remove a favourite first: there are ${maxFavourites}.`)
  }
  return (
    <IconButton
      icon="star"
      label={isKept ? 'Remove from favourites' : 'Add to favourites'}
      aria-pressed={isKept}
      className="star"
      onClick={toggle}
    />
  )
}
