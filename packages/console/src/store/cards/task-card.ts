import {
  type ChangeEvent,
  type Project,
  type RankTaskBody,
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

/**
 * A card, or a task: it has its checks, unless it is large, and all its blockers, but does not contain whether it is
 * ready.
 */
export type CardSource = Omit<ServiceCard, 'checks' | 'ready' | 'openBlockerIds'> & {
  checks?: CheckCounts | Task['checks']
  ready?: boolean
  openBlockerIds?: readonly string[]
  blockedBy?: readonly string[]
}

const countsOf = (checks: CardSource['checks'] = []): CheckCounts => {
  if (!Array.isArray(checks)) return checks
  const count = (state: string): number => checks.filter((check) => check.state === state).length
  return { total: checks.length, open: count('open'), failed: count('failed') }
}

/** The open blockers of a task, as far as they are known. */
const openBlockersOf = (
  { blockedBy = [], openBlockers }: CardSource,
  card: (id: string) => TaskCard | undefined,
  known: TaskCard | undefined,
): string[] => {
  if (blockedBy.length === openBlockers) return [...blockedBy]
  const isKnownOpen = (id: string): boolean => {
    const blocker = card(id)
    return blocker ? isOpen(blocker.statusCategory) : known?.openBlockerIds.includes(id) === true
  }
  return openBlockers === 0 ? [] : blockedBy.filter(isKnownOpen)
}

/** Completes a task to a card by what is known of the task and of others. */
export const cardOf = (task: CardSource, card: (id: string) => TaskCard | undefined = () => undefined): TaskCard => {
  const known = card(task.id)
  return {
    ...(Object.fromEntries(taskCardFields.map((name) => [name, task[name]])) as unknown as TaskCard),
    checks: countsOf(task.checks),
    openBlockerIds: [...(task.openBlockerIds ?? openBlockersOf(task, card, known))],
    ready: task.ready ?? (task.statusCategory === 'todo' && known?.ready === true),
  }
}

export const isOpen = (category: Category): boolean => category !== 'done' && category !== 'cancelled'

/** Whether a waiting task is not given to agents because its attempts are used up. */
export const isExhausted = (
  { statusCategory, attempts }: Pick<TaskCard, 'statusCategory' | 'attempts'>,
  maxAttempts: number,
): boolean => statusCategory === 'todo' && attempts > 0 && attempts >= maxAttempts

/** Without a time of day. */
export const isDate = (text: string): boolean => text.length === 10

/** A task that is due on a day has until its end. */
export const dueMsOf = (dueDate: string): number => Date.parse(isDate(dueDate) ? `${dueDate}T23:59:59` : dueDate)

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

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compareCards = (a: TaskCard, b: TaskCard): number => {
  return byText(a.order ?? orderOf(a), b.order ?? orderOf(b))
}

export type CompareCards = (a: TaskCard, b: TaskCard) => number

/** The orders in which the tasks of a project can be shown. */
export const sorts = {
  priority: compareCards,
  rank: (a, b) => a.rank - b.rank || numberOf(a.id) - numberOf(b.id) || byText(a.id, b.id),
  dueDate: (a, b) => byText(a.dueDate ?? '9', b.dueDate ?? '9') || compareCards(a, b),
  updatedAt: (a, b) => byText(b.updatedAt, a.updatedAt) || compareCards(a, b),
  createdAt: (a, b) => byText(b.createdAt, a.createdAt) || compareCards(a, b),
  title: (a, b) => a.title.localeCompare(b.title) || compareCards(a, b),
  assignee: (a, b) => byText(a.assignee?.name ?? '\uffff', b.assignee?.name ?? '\uffff') || compareCards(a, b),
  attempts: (a, b) => b.attempts - a.attempts || compareCards(a, b),
} satisfies Record<string, CompareCards>

export type Sort = keyof typeof sorts

/** Where a task is put among those of its project. */
export type Place = RankTaskBody

/** The key of a task's project where its id begins with another one, because it was moved. */
export const movedTo = (project: Project | undefined, id: string): string | undefined =>
  project && !id.startsWith(`${project.key}-`) ? project.key : undefined

/** Whether two cards of one version show the same; counts change without a new version. */
export const isSameCard = (a: TaskCard, b: TaskCard): boolean =>
  a.version === b.version &&
  a.rank === b.rank &&
  a.openBlockers === b.openBlockers &&
  a.openBlockerIds.join() === b.openBlockerIds.join() &&
  a.ready === b.ready &&
  a.commentCount === b.commentCount &&
  a.openQuestions === b.openQuestions &&
  a.stale.length === b.stale.length &&
  a.stale.every(({ at }, index) => at === b.stale[index]!.at) &&
  a.children.total === b.children.total &&
  a.children.open === b.children.open &&
  a.claim?.renewedAt === b.claim?.renewedAt &&
  a.claim?.expiresAt === b.claim?.expiresAt &&
  a.assignee?.name === b.assignee?.name
