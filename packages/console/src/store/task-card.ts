import {
  type ChangeEvent,
  type TaskCard as ServiceCard,
  type Task,
  taskCardFields,
  taskPriorities,
  taskStatuses,
} from 'worklore-client'

export const categories = taskStatuses
export type Category = Task['statusCategory']
export const categoryNames: Record<Category, string> = {
  todo: 'To do',
  in_progress: 'In progress',
  in_review: 'In review',
  done: 'Done',
  cancelled: 'Cancelled',
}

/** The highest first. */
export const priorities = taskPriorities.toReversed()
export type Priority = Task['priority']
export const priorityNames: Record<Priority, string> = { urgent: 'Urgent', high: 'High', medium: 'Medium', low: 'Low' }

/** A task without its long texts, as `GET /v1/tasks/cards` answers it. */
export type TaskCard = ServiceCard & {
  /** Its place among the cards of its column, as text that sorts. */
  order?: string
}

export type TaskEvent = Extract<ChangeEvent, { type: `task.${string}` }>

type CheckCounts = ServiceCard['checks']

/** A task with its checks, or a card that counts them; a large task may come without. */
type CardSource = Omit<ServiceCard, 'checks'> & { checks?: CheckCounts | Task['checks'] }

const countsOf = (checks: CardSource['checks'] = []): CheckCounts => {
  if (!Array.isArray(checks)) return checks
  const count = (state: string): number => checks.filter((check) => check.state === state).length
  return { total: checks.length, open: count('open'), failed: count('failed') }
}

export const cardOf = (task: CardSource): TaskCard => ({
  ...(Object.fromEntries(taskCardFields.map((name) => [name, task[name]])) as unknown as TaskCard),
  checks: countsOf(task.checks),
})

export const isOpen = (category: Category): boolean => category !== 'done' && category !== 'cancelled'

export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))

/** Later than any time, so that the newest comes first. */
const farFutureMs = 9_999_999_999_999
const maxNumber = 9_999_999_999

/** By priority, then what is due first, then the newest; closed work by when it was closed. */
export const orderOf = (card: TaskCard): string => {
  const number = String(maxNumber - numberOf(card.id)).padStart(10, '0')
  if (!isOpen(card.statusCategory))
    return `${String(farFutureMs - Date.parse(card.updatedAt)).padStart(13, '0')} ${number}`
  return `${priorities.indexOf(card.priority)} ${card.dueDate ?? '9'} ${number}`
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
  a.openQuestions === b.openQuestions &&
  a.stale.length === b.stale.length &&
  a.stale.every(({ at }, index) => at === b.stale[index]!.at) &&
  a.children.total === b.children.total &&
  a.children.open === b.children.open &&
  a.claim?.renewedAt === b.claim?.renewedAt &&
  a.claim?.expiresAt === b.claim?.expiresAt &&
  a.assignee?.name === b.assignee?.name
