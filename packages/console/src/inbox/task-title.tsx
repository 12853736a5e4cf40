import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { withTask } from '../query'

interface TaskTitleProps {
  card: { id: string; title: string }
  onOpen?: () => void
}

export const TaskTitle = ({ card: { id, title }, onOpen }: TaskTitleProps): ReactNode => (
  <Link to="." search={withTask(id)} activeProps={{}} className="need-task" onClick={onOpen}>
    <span className="card-id">{id}</span> <span className="truncate">{title}</span>
  </Link>
)
