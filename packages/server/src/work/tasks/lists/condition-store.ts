import { isListed } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Value } from '../../../db/port.js'
import { isVisibleProject, listedOfVisibleProject } from '../../../db/project-conditions.js'
import { checkFlags } from '../checks/rules.js'
import { waitsForResource } from '../resources/store.js'
import type { Asked, TaskFilters } from './filters.js'

/** A list is one parameter, in the form that the store takes. */
export type Param = Value | readonly (string | number)[]

/** A condition on a task `t`, or on an entry `l` of its labels. */
export interface Condition {
  /** Tells its text from those of other conditions. */
  name: string
  text(dialect: Dialect): string
  params: readonly Param[]
}

/** Beyond every time, so that tasks without a due date come last in either direction. */
const never = 9007199254740991
export const dueOrNever = `coalesce(t.due_at, ${never})`
export const dueOrPast = `coalesce(t.due_at, -${never})`

/** Stands for tasks of no one among the ids of assignees. */
const noOne = 'none'

export const compared = (column: string, operator: '=' | '<' | '>', value: Value): Condition => ({
  name: `${column}${operator}`,
  text: () => `${column} ${operator} ?`,
  params: [value],
})

export const isAmong = (
  column: string,
  values: readonly (string | number)[],
  type: 'text' | 'bigint' = 'text',
): Condition => ({
  name: `${column} among`,
  text: (dialect) => dialect.isAmong(column, type),
  params: [values],
})

/** One value is told apart from several: it is compared faster, and an index has the order of the list for it alone. */
export const isOneOf = (
  column: string,
  values: readonly (string | number)[],
  type: 'text' | 'bigint' = 'text',
): Condition => (values.length === 1 ? compared(column, '=', values[0]!) : isAmong(column, values, type))

export const isAssignedTo = (column: string, id: string): Condition =>
  id === noOne ? { name: `${column} null`, text: () => `${column} is null`, params: [] } : compared(column, '=', id)

/**
 * Of the task an entry of one of the labels is found by its whole key. Without the limit this SQLite makes a join of
 * it and then counts a task that holds two of the labels twice towards an offset; without the offset PostgreSQL makes
 * one, and without statistics looks at all entries of the labels for each task.
 */
export const hasOneOfLabels = (labels: readonly string[]): Condition => ({
  name: 'labels',
  text: (dialect) =>
    `exists (select 1 from task_labels x where x.tenant_id = :tenant and ${dialect.isAmong('x.label', 'text')}
      and x.created_at = t.created_at and x.project_id = t.project_id and x.number = t.number limit 1 offset 0)`,
  params: [labels],
})

export const exhaustedText = `t.attempts >=
  (select p.max_attempts from projects p where p.tenant_id = :tenant and p.id = t.project_id)`

const freeText = `(t.status = 'todo' or (t.status = 'in_progress' and coalesce(t.claim_expires_at, ${never}) <= ?))
  and t.open_blockers = 0 and t.blocked_ancestors = 0 and t.open_children = 0
  and t.open_questions = 0
  and coalesce(t.not_before, 0) <= ? and coalesce(t.assignee_id, '') in ('', ?) and not (${exhaustedText})`

/** The rule of `isReady`, for whoever asks, where an end of a claim or a time to begin may not be written down yet. */
export const readyText = (dialect: Dialect, { areResourcesReserved = false }: Asked): string =>
  areResourcesReserved ? `${freeText} and not ${waitsForResource(dialect, 't.id')}` : freeText

export const readyParams = ({ atMs, userId, areResourcesReserved = false }: Asked): Value[] => [
  ...[atMs, atMs, userId ?? ''],
  ...(areResourcesReserved ? [atMs] : []),
]

/** Stated as it is in the index of tasks to check. */
const isToCheck = 't.check_flags > 1'

const openFlags = Object.values(checkFlags.open).reduce((sum, flag) => sum + flag, 0)

export const hasChecks = (which: 'open' | 'failed'): Condition => ({
  name: `checks ${which}`,
  text: () => `${isToCheck} and (t.check_flags & ${which === 'open' ? openFlags : checkFlags.failed}) <> 0`,
  params: [],
})

export const hasMarks: Condition = { name: 'stale', text: () => 't.stale is not null', params: [] }

/** The rule of who may decide a check, for tasks in review; an id in quotes is found in the record of the work. */
export const canBeVerifiedBy = ({ verifier }: Pick<TaskFilters, 'verifier'>): Condition => {
  const { anyone, human } = checkFlags.open
  const quoted = (id: string | null | undefined): string => JSON.stringify(id ?? verifier?.keyId ?? '')
  return {
    name: 'verifier',
    text: () => `${isToCheck} and t.status = 'in_review' and ((t.check_flags & cast(? as bigint)) <> 0
      or ((t.check_flags & cast(? as bigint)) <> 0 and
        replace(replace(coalesce(t.work_record, ''), ?, ''), ?, '') = coalesce(t.work_record, '')))`,
    params: [
      verifier ? anyone + (verifier.isHuman ? human : 0) : 0,
      verifier ? checkFlags.open.other : 0,
      quoted(verifier?.keyId),
      quoted(verifier?.userId),
    ],
  }
}

export const isInVisibleProject = (table: string): Condition => ({
  name: 'visible',
  text: () => listedOfVisibleProject(table),
  params: [],
})

export const isOfVisible = (projectId: Param): Condition => ({
  name: 'visible project',
  text: () => isVisibleProject('?'),
  params: [projectId],
})

/** A filter of the folded condition: null stands for none. */
interface FoldedFilter {
  text(dialect: Dialect): string
  /** Undefined where the list has no such filter. */
  params(filters: TaskFilters): readonly Param[] | undefined
  paramCount: number
}

const list = (values: readonly (string | number)[] | undefined): readonly Param[] | undefined =>
  values ? [values] : undefined

const moment = (ms: number | undefined): readonly Value[] | undefined => (ms === undefined ? undefined : [ms])

/** Those that are often asked for, cheapest first. */
const frequentFilters: readonly FoldedFilter[] = [
  {
    text: (dialect) => dialect.isAmong('t.project_id', 'text'),
    params: ({ projectIds }) => (isListed(projectIds) ? [projectIds] : undefined),
    paramCount: 1,
  },
  {
    text: (dialect) => dialect.isAmong('t.priority', 'bigint'),
    params: ({ priorities }) => list(priorities),
    paramCount: 1,
  },
  { text: (dialect) => dialect.isAmong('t.status', 'text'), params: ({ statuses }) => list(statuses), paramCount: 1 },
]

const nobodyAsked: Asked = { tenantId: '', userId: null, atMs: 0 }

/** A new filter that needs no index of its own is an entry here, and costs other lists nothing. */
const rareFiltersFor = (areResourcesReserved: boolean): readonly FoldedFilter[] => [
  {
    text: (dialect) => `not (${dialect.isAmong('t.project_id', 'text')})`,
    params: ({ projectIds }) => (projectIds === null || isListed(projectIds) ? undefined : [projectIds.except]),
    paramCount: 1,
  },
  {
    text: (dialect) =>
      `${dialect.isAmong('t.assignee_id', 'text')} or (t.assignee_id is null and cast(? as bigint) = 1)`,
    params: ({ assigneeIds }) => assigneeIds && [assigneeIds, assigneeIds.includes(noOne) ? 1 : 0],
    paramCount: 2,
  },
  {
    text: (dialect) => `${dialect.isAmong('t.custom_status', 'text')} or ${dialect.isAmong('t.status', 'text')}`,
    params: ({ statusNames }) => statusNames && [statusNames, statusNames],
    paramCount: 2,
  },
  { text: () => `${dueOrNever} < ?`, params: ({ dueBeforeMs }) => moment(dueBeforeMs), paramCount: 1 },
  { text: () => `${dueOrPast} > ?`, params: ({ dueAfterMs }) => moment(dueAfterMs), paramCount: 1 },
  { text: () => 't.updated_at > ?', params: ({ updatedAfterMs }) => moment(updatedAfterMs), paramCount: 1 },
  { text: () => 't.parent_id is null', params: ({ parentId }) => (parentId === null ? [] : undefined), paramCount: 0 },
  {
    text: (dialect) => `(${readyText(dialect, { ...nobodyAsked, areResourcesReserved })}) = (cast(? as bigint) = 1)`,
    params: ({ isReady, asked }) =>
      isReady === undefined || !asked ? undefined : [...readyParams(asked), isReady ? 1 : 0],
    paramCount: areResourcesReserved ? 5 : 4,
  },
  {
    text: () => '(coalesce(t.claim_expires_at, 0) > ?) = (cast(? as bigint) = 1)',
    params: ({ isClaimed, asked }) => (isClaimed === undefined || !asked ? undefined : [asked.atMs, isClaimed ? 1 : 0]),
    paramCount: 2,
  },
  {
    text: () => `(${exhaustedText}) = (cast(? as bigint) = 1)`,
    params: ({ isExhausted }) => (isExhausted === undefined ? undefined : [isExhausted ? 1 : 0]),
    paramCount: 1,
  },
  { text: () => 't.stale is null', params: ({ isStale }) => (isStale === false ? [] : undefined), paramCount: 0 },
  { text: () => 't.check_flags = 0', params: ({ checks }) => (checks === 'none' ? [] : undefined), paramCount: 0 },
]

/** What is reserved makes another statement of it, which only lists of ready tasks have. */
const rareFilters = { free: rareFiltersFor(false), reserved: rareFiltersFor(true) } as const

const unless = (text: string): string => `(cast(? as bigint) is null or ${text})`

const textOf = (filters: readonly FoldedFilter[], dialect: Dialect): string =>
  filters.map(({ text }) => unless(text(dialect))).join(' and ')

const paramsOf = (folded: readonly FoldedFilter[], filters: TaskFilters): Param[] =>
  folded.flatMap(({ params, paramCount }) => {
    const given = params(filters)
    return given ? [1, ...given] : Array<null>(paramCount + 1).fill(null)
  })

const foldedText = (dialect: Dialect, rare: readonly FoldedFilter[]): string =>
  `${textOf(frequentFilters, dialect)} and ${unless(`(${textOf(rare, dialect)})`)}`

/**
 * All filters that no index serves as one condition, whichever of them a list has: each with a text of its own would
 * double the number of statements. Undefined where the list has none of them.
 */
export const foldedCondition = (filters: TaskFilters): Condition | undefined => {
  const isGiven = ({ params }: FoldedFilter): boolean => params(filters) !== undefined
  const kind = filters.asked?.areResourcesReserved ? 'reserved' : 'free'
  const rare = rareFilters[kind]
  const hasRare = rare.some(isGiven)
  if (!hasRare && !frequentFilters.some(isGiven)) return undefined
  return {
    name: `folded ${kind}`,
    text: (dialect) => foldedText(dialect, rare),
    params: [...paramsOf(frequentFilters, filters), hasRare ? 1 : null, ...paramsOf(rare, filters)],
  }
}
