import type { ReactNode } from 'react'
import type { Project, User } from 'worklore-client'
import { Avatar, labelChoice } from '../components/avatar'
import { Icon, PriorityIcon, StatusIcon } from '../components/icons'
import { type Choice, Picker } from '../components/menu'
import { statusesOf, statusIn } from '../store/cards/statuses'
import { type Priority, priorities, priorityNames, type TaskCard } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { useProjects, useUsers } from '../store/records'

/** The statuses of a project, or the built-in ones. */
export const statusChoices = (project: Project | undefined): Choice<string>[] =>
  statusesOf(project).map(({ status, name, category }) => ({
    value: status,
    label: name,
    icon: <StatusIcon status={category} />,
  }))

export const priorityChoices: Choice<Priority>[] = priorities.map((priority) => ({
  value: priority,
  label: priorityNames[priority],
  icon: <PriorityIcon priority={priority} />,
}))

interface PickerOf<T> {
  value: T
  onChoose: (value: T) => void
  className?: string
  isDisabled?: boolean
  /** Without the text, as on a card. */
  compact?: boolean
}

type StatusPickerProps = Omit<PickerOf<string>, 'value'> & {
  value: Pick<TaskCard, 'status'> & { statusCategory?: string }
  projectId: string | undefined
}

/** What a compact picker shows, where it cannot be pressed yet: it costs much less to render. */
export const PickerMark = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  <span className="picker-mark" role="img" aria-label={label}>
    {children}
  </span>
)

export const StatusPicker = ({ value, projectId, compact = false, ...rest }: StatusPickerProps): ReactNode => {
  const projects = useProjects()
  const projectNow = (): Project | undefined => projects.get(projectId ?? '')
  const { status, name, category } = statusIn(projectNow(), value.status, value.statusCategory)
  return (
    <Picker
      label={`Status: ${name}`}
      choices={() => statusChoices(projectNow())}
      selected={[status]}
      isIcon={compact}
      {...rest}
    >
      <StatusIcon status={category} />
      {!compact && name}
    </Picker>
  )
}

export const PriorityPicker = ({ value, compact = false, ...rest }: PickerOf<Priority>): ReactNode => (
  <Picker
    label={`Priority: ${priorityNames[value]}`}
    choices={priorityChoices}
    selected={[value]}
    isIcon={compact}
    {...rest}
  >
    <PriorityIcon priority={value} />
    {!compact && priorityNames[value]}
  </Picker>
)

const assigneeChoices = (list: readonly User[]): Choice<string>[] => [
  { value: '', label: 'Nobody', icon: <Avatar name={null} /> },
  ...list.map((user) => ({
    value: user.id,
    label: user.name,
    icon: <Avatar name={user.name} isAgent={user.kind === 'agent'} />,
  })),
]

export const useAssigneeChoices = (): Choice<string>[] => assigneeChoices(useUsers().list)

interface AssigneePickerProps {
  value: TaskCard['assignee']
  onChoose: (assignee: TaskCard['assignee']) => void
  className?: string
  isDisabled?: boolean
  compact?: boolean
}

export const AssigneePicker = ({ value, onChoose, compact = false, ...rest }: AssigneePickerProps): ReactNode => {
  const users = useUsers()
  const name = value?.name ?? null
  return (
    <Picker
      label={name ? `Assigned to ${name}` : 'Assign'}
      choices={() => assigneeChoices(users.list)}
      selected={[value?.id ?? '']}
      onChoose={(id) => {
        const user = users.get(id)
        onChoose(user ? { id, name: user.name } : null)
      }}
      isIcon={compact}
      {...rest}
    >
      <Avatar name={name} isAgent={value ? users.get(value.id)?.kind === 'agent' : false} />
      {!compact && <span className="truncate">{name ?? 'Nobody'}</span>}
    </Picker>
  )
}

/** The labels in use in a project. */
export const labelsIn = (cards: readonly TaskCard[]): string[] =>
  [...new Set(cards.flatMap(({ labels }) => labels))].sort()

interface LabelsPickerProps {
  value: readonly string[]
  projectId: string | undefined
  onSet: (label: string, isIn: boolean) => void
  className?: string
  isDisabled?: boolean
}

export const LabelsPicker = ({ value, projectId, onSet, ...rest }: LabelsPickerProps): ReactNode => {
  const { tasks } = useConsole()
  const known = (): string[] => (projectId === undefined ? [] : labelsIn(tasks.cardsOf(projectId)))
  return (
    <Picker
      label="Labels"
      choices={() => [...new Set([...value, ...known()])].map(labelChoice)}
      selected={value}
      isMultiple
      onChoose={(label) => onSet(label, !value.includes(label))}
      onCreate={(label) => onSet(label.replaceAll(',', ' '), true)}
      {...rest}
    >
      <Icon name="tag" size={14} />
      {value.length === 0 ? 'Add label' : <Icon name="plus" size={12} />}
    </Picker>
  )
}
