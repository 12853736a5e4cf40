import { type ReactNode, useState } from 'react'
import { Avatar } from '../../components/avatar'
import { PriorityIcon, StatusIcon } from '../../components/icons'
import { statusIn } from '../../store/cards/statuses'
import { priorityNames, type TaskCard } from '../../store/cards/task-card'
import { useProjects, useUsers } from '../../store/records'
import { AssigneePicker, PickerMark, PriorityPicker, StatusPicker } from '../pickers'
import { useTaskActions } from '../use-task-actions'

const hasHover = matchMedia('(hover: hover)').matches

/**
 * Whether a task in a long list needs its pickers: once the pointer was over it, or the keyboard is on it. They cost as
 * much as all the rest of it, which would be seen while scrolling.
 */
export const useIsActive = (isSelected: boolean): { isActive: boolean; onPointerEnter: () => void } => {
  const [wasEntered, setWasEntered] = useState(!hasHover)
  return { isActive: wasEntered || isSelected, onPointerEnter: () => setWasEntered(true) }
}

interface MarkProps {
  card: TaskCard
  canWrite: boolean
  isActive: boolean
}

type FieldProps = Omit<MarkProps, 'isActive'>

const PriorityField = ({ card: { id, priority }, canWrite }: FieldProps): ReactNode => {
  const { change } = useTaskActions()
  return (
    <PriorityPicker
      value={priority}
      onChoose={(next) => void change(id, { priority: next })}
      isDisabled={!canWrite}
      className="mini"
      compact
    />
  )
}

export const PriorityMark = ({ isActive, ...props }: MarkProps): ReactNode => {
  if (isActive) return <PriorityField {...props} />
  const { priority } = props.card
  return (
    <PickerMark label={`Priority: ${priorityNames[priority]}`}>
      <PriorityIcon priority={priority} />
    </PickerMark>
  )
}

/** For where the status is told by what the task stands under: with a pointer, it is there when that is over the task. */
export const StatusField = ({ card, canWrite, className = '' }: FieldProps & { className?: string }): ReactNode => {
  const { change } = useTaskActions()
  return (
    <StatusPicker
      value={card}
      projectId={card.projectId}
      onChoose={(status) => void change(card.id, { status })}
      isDisabled={!canWrite}
      className={`mini ${className}`}
      compact
    />
  )
}

export const StatusMark = ({ isActive, ...props }: MarkProps): ReactNode => {
  const projects = useProjects()
  if (isActive) return <StatusField {...props} />
  const { projectId, status, statusCategory } = props.card
  const { name, category } = statusIn(projects.get(projectId), status, statusCategory)
  return (
    <PickerMark label={`Status: ${name}`}>
      <StatusIcon status={category} />
    </PickerMark>
  )
}

const AssigneeField = ({ card: { id, assignee }, canWrite }: FieldProps): ReactNode => {
  const { change } = useTaskActions()
  return (
    <AssigneePicker
      value={assignee}
      onChoose={(next) => void change(id, { assigneeId: next?.id ?? null, assignee: next })}
      isDisabled={!canWrite}
      className={assignee ? 'mini' : 'mini unassigned'}
      compact
    />
  )
}

/** Nothing where nobody is assigned. */
export const AssigneeMark = ({ isActive, ...props }: MarkProps): ReactNode => {
  const users = useUsers()
  if (isActive) return <AssigneeField {...props} />
  const { assignee } = props.card
  if (!assignee) return null
  return (
    <PickerMark label={`Assigned to ${assignee.name}`}>
      <Avatar name={assignee.name} isAgent={users.get(assignee.id)?.kind === 'agent'} />
    </PickerMark>
  )
}
