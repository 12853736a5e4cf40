import type { ChangeEvent, Task } from 'worklore-client'

export const statuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const
export type Status = (typeof statuses)[number]
export const statusNames: Record<Status, string> = {
  todo: 'To do',
  in_progress: 'In progress',
  in_review: 'In review',
  done: 'Done',
  cancelled: 'Cancelled',
}

export const priorities = ['urgent', 'high', 'medium', 'low'] as const
export type Priority = (typeof priorities)[number]
export const priorityNames: Record<Priority, string> = { urgent: 'Urgent', high: 'High', medium: 'Medium', low: 'Low' }

/** A task without its long texts, as `GET /v1/tasks/cards` answers it. */
export type TaskCard = Pick<
  Task,
  | 'id'
  | 'projectId'
  | 'title'
  | 'status'
  | 'priority'
  | 'assignee'
  | 'labels'
  | 'dueDate'
  | 'parentId'
  | 'claim'
  | 'attempts'
  | 'openBlockers'
  | 'children'
  | 'commentCount'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
> & {
  /** Its place among the cards of its column, as text that sorts. */
  order?: string
}

export type TaskEvent = Extract<ChangeEvent, { type: `task.${string}` }>

export const cardOf = (task: TaskCard): TaskCard => ({
  id: task.id,
  projectId: task.projectId,
  title: task.title,
  status: task.status,
  priority: task.priority,
  assignee: task.assignee,
  labels: task.labels,
  dueDate: task.dueDate,
  parentId: task.parentId,
  claim: task.claim,
  attempts: task.attempts,
  openBlockers: task.openBlockers,
  children: task.children,
  commentCount: task.commentCount,
  version: task.version,
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
})

export const isOpen = (status: Status): boolean => status !== 'done' && status !== 'cancelled'

export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))
export const projectKeyOf = (taskId: string): string => taskId.slice(0, taskId.lastIndexOf('-'))

const priorityRank: Record<Priority, number> = { urgent: 0, high: 1, medium: 2, low: 3 }
/** Later than any time, so that the newest comes first. */
const farFutureMs = 9_999_999_999_999
const maxNumber = 9_999_999_999

/** By priority, then what is due first, then the newest; closed work by when it was closed. */
export const orderOf = (card: TaskCard): string => {
  const number = String(maxNumber - numberOf(card.id)).padStart(10, '0')
  if (!isOpen(card.status)) return `${String(farFutureMs - Date.parse(card.updatedAt)).padStart(13, '0')} ${number}`
  return `${priorityRank[card.priority]} ${card.dueDate ?? '9'} ${number}`
}

export const compareCards = (a: TaskCard, b: TaskCard): number => {
  const first = a.order ?? orderOf(a)
  const second = b.order ?? orderOf(b)
  return first < second ? -1 : first > second ? 1 : 0
}

/** Whether two cards of one version show the same; counts change without a new version. */
export const isSameCard = (a: TaskCard, b: TaskCard): boolean =>
  a.version === b.version &&
  a.openBlockers === b.openBlockers &&
  a.commentCount === b.commentCount &&
  a.children.total === b.children.total &&
  a.children.open === b.children.open &&
  a.claim?.renewedAt === b.claim?.renewedAt &&
  a.claim?.expiresAt === b.claim?.expiresAt &&
  a.assignee?.name === b.assignee?.name
