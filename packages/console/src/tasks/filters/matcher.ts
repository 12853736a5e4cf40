import type { Project } from 'worklore-client'
import { listOf, type Query } from '../../query'
import type { Records } from '../../store/base/collection'
import type { CardView } from '../../store/cards/card-cache'
import { dueMsOf, isExhausted, isOpen, priorityNames, type TaskCard } from '../../store/cards/task-card'
import { isLive, silentAfterMs } from '../claim-mark'

/** In the address; each is a list of which one must match, but `q`. */
const filterNames = [
  ...(['q', 'status', 'assignee', 'label', 'priority', 'createdBy'] as const),
  ...(['state', 'holder', 'worker', 'age', 'checks', 'parent', 'project'] as const),
]

export type FilterName = (typeof filterNames)[number]

export const noFilter: Query = Object.fromEntries(filterNames.map((name) => [name, undefined]))

/** The values of a filter in an address, without unknown ones, which would match nothing. */
export const filterValues = (query: Query, name: FilterName): string[] =>
  listOf(query[name]).filter((value) => knownValues[name]?.(value) ?? true)

export const isFiltered = (query: Query): boolean =>
  filterNames.some((name) => (name === 'q' ? query.q : filterValues(query, name).length > 0))

/** Whether what matches depends on the time. */
export const isTimed = ({ state, holder, worker, age }: Query): boolean => Boolean(state || holder || worker || age)

/** What a filter needs to know besides the card. */
export interface Known {
  tasks: Pick<CardView, 'card'>
  projects: Pick<Records<Project>, 'get'>
  nowMs: number
  keyId: string
  userId: string | undefined
}

const maxAncestors = 20

/** The ids above a task, the nearest first. */
const ancestorsOf = ({ tasks }: Pick<Known, 'tasks'>, card: TaskCard): string[] => {
  const ids: string[] = []
  for (let at = card.parentId; at !== null && ids.length < maxAncestors; at = tasks.card(at)?.parentId ?? null)
    ids.push(at)
  return ids
}

export const isBelow = (tasks: Known['tasks'], card: TaskCard, id: string): boolean =>
  ancestorsOf({ tasks }, card).includes(id)

const maxAttemptsOf = (card: TaskCard, { projects }: Pick<Known, 'projects'>): number =>
  projects.get(card.projectId)?.maxAttempts ?? Infinity

export const states = {
  ready: ({ ready }) => ready,
  blocked: (card) => isOpen(card.statusCategory) && card.openBlockers > 0,
  claimed: (card, { nowMs }) => isLive(card.claim, nowMs),
  silent: (card, { nowMs }) => isLive(card.claim, nowMs) && nowMs - Date.parse(card.claim.renewedAt) >= silentAfterMs,
  overdue: (card, { nowMs }) => isOpen(card.statusCategory) && card.dueDate !== null && dueMsOf(card.dueDate) < nowMs,
  exhausted: (card, known) => isExhausted(card, maxAttemptsOf(card, known)),
  stale: (card) => card.stale.length > 0,
  asking: (card) => card.openQuestions > 0,
} satisfies Record<string, (card: TaskCard, known: Known) => boolean>

export const checkStates = {
  open: ({ checks }) => checks.open > 0,
  failed: ({ checks }) => checks.failed > 0,
  met: ({ checks }) => checks.total > 0 && checks.open + checks.failed === 0,
  none: ({ checks }) => checks.total === 0,
} satisfies Record<string, (card: TaskCard) => boolean>

const dayMs = 86_400_000

const agePattern = /^(under|over)-(\d{1,4})d$/

/** `under-7d` and `over-7d`, by the time since a task was created. */
const isOfAge = (age: string, ageMs: number): boolean => {
  const [, side, days] = agePattern.exec(age) ?? []
  return side !== undefined && ageMs < Number(days) * dayMs === (side === 'under')
}

/** Which values filters have whose values are fixed. */
const knownValues: Partial<Record<FilterName, (value: string) => boolean>> = {
  state: (value) => Object.hasOwn(states, value),
  checks: (value) => Object.hasOwn(checkStates, value),
  priority: (value) => Object.hasOwn(priorityNames, value),
  age: (value) => agePattern.test(value),
}

/** A worker in the address, where commas are between values. */
export const workerValue = (name: string): string => name.replaceAll(',', '%2C')

/** Whether a filter is unset, or one of its values fits. */
const fits = (values: readonly string[], test: (value: string) => boolean): boolean =>
  values.length === 0 || values.some(test)

/** Tells which cards the filters of an address let through. */
export const matcherOf = (query: Query, known: Known): ((card: TaskCard) => boolean) => {
  const { projects, nowMs, keyId, userId } = known
  const text = (query.q ?? '').toLowerCase()
  const of = Object.fromEntries(filterNames.map((name) => [name, filterValues(query, name)])) as Record<
    FilterName,
    string[]
  >
  return (card) => {
    const claim = isLive(card.claim, nowMs) ? card.claim : null
    return (
      (text === '' || card.title.toLowerCase().includes(text) || card.id.toLowerCase().includes(text)) &&
      fits(of.status, (status) => status === card.status || status === card.statusCategory) &&
      // Nobody's tasks are not those of a key without a user.
      fits(of.assignee, (id) => (id === 'me' ? (userId ?? 'me') : id) === (card.assignee?.id ?? 'none')) &&
      fits(of.priority, (priority) => priority === card.priority) &&
      fits(of.label, (label) => card.labels.includes(label)) &&
      fits(of.createdBy, (id) => (id === 'me' ? keyId : id) === card.createdBy.keyId) &&
      fits(of.state, (state) => states[state as keyof typeof states](card, known)) &&
      fits(of.holder, (keyId) => keyId === (claim?.keyId ?? 'none')) &&
      fits(of.worker, (worker) => claim?.worker != null && worker === workerValue(claim.worker)) &&
      fits(of.age, (age) => isOfAge(age, nowMs - Date.parse(card.createdAt))) &&
      fits(of.checks, (state) => checkStates[state as keyof typeof checkStates](card)) &&
      fits(of.parent, (id) => (id === 'none' ? card.parentId === null : ancestorsOf(known, card).includes(id))) &&
      fits(of.project, (key) => projects.get(card.projectId)?.key === key)
    )
  }
}
