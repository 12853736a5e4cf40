import { isListed, onlyProjectOf, type ProjectSet } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Value } from '../../../db/port.js'
import type { Sort } from '../schema.js'
import {
  type Condition,
  canBeVerifiedBy,
  compared,
  dueOrNever,
  dueOrPast,
  foldedCondition,
  hasChecks,
  hasMarks,
  hasOneOfLabels,
  isAmong,
  isAssignedTo,
  isInVisibleProject,
  isOfVisible,
  isOneOf,
  type Param,
} from './condition-store.js'
import type { TaskFilters } from './filters.js'

/** What a list reads, in which order, and what must hold for an entry of it. */
export interface KeysetScan {
  /** Scans of one name differ in their parameters alone. */
  name: string
  /** The table that is scanned; enough to count. */
  entries(dialect: Dialect): string
  /** The same with the task `t` of each entry. */
  tasks(dialect: Dialect): string
  where(dialect: Dialect): string
  params(dialect: Dialect): Value[]
  sortValue: string
  projectId: string
  number: string
  direction: 'asc' | 'desc'
  /** Whether one project comes after the other, whatever the values that tasks are sorted by. */
  isByProject: boolean
}

/** The conditions that an index can serve, and the filters that are left. */
interface Access {
  conditions: Condition[]
  rest: TaskFilters
}

const columnOfSort: Record<Sort, string> = {
  createdAt: 't.created_at',
  '-createdAt': 't.created_at',
  updatedAt: 't.updated_at',
  '-updatedAt': 't.updated_at',
  priority: 't.priority',
  '-priority': 't.priority',
  dueDate: dueOrNever,
  '-dueDate': dueOrPast,
  rank: 't.rank',
  '-rank': 't.rank',
}

export const isList = (param: Param): param is readonly (string | number)[] => Array.isArray(param)

const isByCreation = (sort: Sort): boolean => columnOfSort[sort] === 't.created_at'

/** What is left of a set of projects once those that it lists are among the conditions. */
const unlisted = (set: ProjectSet): ProjectSet => (isListed(set) ? null : set)

/** The entries of a label stand in the order of creation, and carry their task's project and assignee. */
const accessByEntries = ({ labels, projectIds, assigneeIds, ...rest }: TaskFilters): Access => {
  const conditions = [compared('l.label', '=', labels![0]!)]
  if (isListed(projectIds)) conditions.push(isAmong('l.project_id', projectIds))
  if (assigneeIds?.length === 1) conditions.push(isAssignedTo('l.assignee_id', assigneeIds[0]!))
  const isAssigneeLeft = assigneeIds !== undefined && assigneeIds.length > 1
  return { conditions, rest: { ...rest, projectIds: unlisted(projectIds), ...(isAssigneeLeft && { assigneeIds }) } }
}

const accessByLabels = ({ labels, ...rest }: TaskFilters): Access => ({ conditions: [hasOneOfLabels(labels!)], rest })

const accessByAssignee = ({ assigneeIds, ...filters }: TaskFilters, sort: Sort): Access => {
  const conditions = [isAssignedTo('t.assignee_id', assigneeIds![0]!)]
  if (!isByCreation(sort)) return { conditions, rest: filters }
  const { projectIds, statuses, ...rest } = filters
  if (isListed(projectIds)) conditions.push(isAmong('t.project_id', projectIds))
  if (statuses) conditions.push(isAmong('t.status', statuses))
  return { conditions, rest: { ...rest, projectIds: unlisted(projectIds) } }
}

/** The sign keeps an index by priority from being taken: a quarter of all tasks would be sorted to show fifty. */
const hasPriority = (priorities: readonly number[]): Condition => isOneOf('+t.priority', priorities, 'bigint')

/** One status of a project, other than the built-in ones, has an index of its own. */
const accessByCustomStatus = ({ projectIds, statuses, statusNames, ...others }: TaskFilters): Access | undefined => {
  const onlyProject = onlyProjectOf(projectIds)
  if (statusNames?.length !== 1 || statuses?.length !== 1 || onlyProject === undefined) return undefined
  const conditions = [
    compared('t.project_id', '=', onlyProject),
    compared('t.custom_status', '=', statusNames[0]!),
    compared('t.status', '=', statuses[0]!),
  ]
  return { conditions, rest: { ...others, projectIds: null } }
}

const accessByCreation = (filters: TaskFilters): Access => {
  const custom = accessByCustomStatus(filters)
  if (custom) return custom
  const { projectIds, statuses, ...others } = filters
  const conditions: Condition[] = []
  if (isListed(projectIds)) conditions.push(isOneOf('t.project_id', projectIds))
  const isStatusServed = statuses !== undefined && (!isListed(projectIds) || projectIds.length === 1)
  if (isStatusServed) conditions.push(isOneOf('t.status', statuses))
  const { priorities, ...rest } = others
  const isPriorityAlone = priorities && Object.keys(rest).length === 0 && (isStatusServed || !statuses)
  const left = { projectIds: unlisted(projectIds) }
  if (isPriorityAlone) return { conditions: [...conditions, hasPriority(priorities)], rest: left }
  return { conditions, rest: { ...others, ...left, ...(!isStatusServed && statuses && { statuses }) } }
}

/** A filter on what the list is sorted by tells where its index begins or ends. */
const boundOfSort: Partial<Record<Sort, (filters: TaskFilters) => Access | undefined>> = {
  updatedAt: (filters) => boundOfUpdates(filters),
  '-updatedAt': (filters) => boundOfUpdates(filters),
  priority: (filters) => boundOfPriorities(filters),
  '-priority': (filters) => boundOfPriorities(filters),
  dueDate: ({ dueBeforeMs, ...rest }) =>
    dueBeforeMs === undefined ? undefined : { conditions: [compared(dueOrNever, '<', dueBeforeMs)], rest },
  '-dueDate': ({ dueAfterMs, ...rest }) =>
    dueAfterMs === undefined ? undefined : { conditions: [compared(dueOrPast, '>', dueAfterMs)], rest },
}

const boundOfUpdates = ({ updatedAfterMs, ...rest }: TaskFilters): Access | undefined =>
  updatedAfterMs === undefined ? undefined : { conditions: [compared('t.updated_at', '>', updatedAfterMs)], rest }

const boundOfPriorities = ({ priorities, ...rest }: TaskFilters): Access | undefined => {
  if (!priorities) return undefined
  const range = [Math.min(...priorities), Math.max(...priorities)] as const
  const hasGap = priorities.length <= range[1] - range[0]
  const text = () => 't.priority between ? and ?'
  return {
    conditions: [{ name: 'priorities', text, params: range }],
    rest: hasGap ? { ...rest, priorities } : rest,
  }
}

/** For a list in another order than that of creation. */
const accessByOrder = (filters: TaskFilters, sort: Sort): Access => {
  const { projectIds, statuses, ...others } = filters
  const onlyProject = onlyProjectOf(projectIds)
  const conditions = onlyProject === undefined ? [] : [compared('t.project_id', '=', onlyProject)]
  const rest = { ...others, projectIds: onlyProject === undefined ? projectIds : null }
  if (statuses) return { conditions: [...conditions, isAmong('t.status', statuses)], rest }
  const bounded = boundOfSort[sort]?.(rest)
  return bounded ? { ...bounded, conditions: [...conditions, ...bounded.conditions] } : { conditions, rest }
}

/** By its links: a list of at most a thousand. */
const isLinked = (to: 'task_id' | 'other_id', from: 'task_id' | 'other_id', id: string): Condition => ({
  name: `linked by ${from}`,
  text: () =>
    `t.id in (select k.${to} from task_links k where k.tenant_id = :tenant and k.${from} = ? and k.kind = 'blocker')`,
  params: [id],
})

/** Filters that leave few tasks, which are then put in order. */
export const accessToFew = (filters: TaskFilters): Access | undefined => {
  const { ids, createdBy, externalId, parentId, blockedBy, blocks, claimedBy, checks, verifier, isStale, ...rest } =
    filters
  const others: TaskFilters = {
    ...rest,
    ...(parentId === null && { parentId }),
    ...(checks === 'none' && { checks }),
    ...(isStale === false && { isStale }),
  }
  const conditions: Condition[] = []
  if (ids) conditions.push(isAmong('t.id', ids))
  if (createdBy !== undefined) conditions.push(compared('t.created_by', '=', createdBy))
  if (externalId !== undefined) conditions.push(compared('t.external_id', '=', externalId))
  if (typeof parentId === 'string') conditions.push(compared('t.parent_id', '=', parentId))
  if (claimedBy !== undefined) {
    conditions.push(compared('t.claim_key_id', '=', claimedBy), compared('t.claim_expires_at', '>', rest.asked!.atMs))
  }
  if (blockedBy !== undefined) conditions.push(isLinked('task_id', 'other_id', blockedBy))
  if (blocks !== undefined) conditions.push(isLinked('other_id', 'task_id', blocks))
  if (checks === 'open' || checks === 'failed') conditions.push(hasChecks(checks))
  if (verifier !== undefined) conditions.push(canBeVerifiedBy({ verifier }))
  if (isStale) conditions.push(hasMarks)
  if (conditions.length === 0) return undefined
  const { labels, ...unlabelled } = others
  return labels
    ? { conditions: [...conditions, hasOneOfLabels(labels)], rest: unlabelled }
    : { conditions, rest: others }
}

/**
 * Chooses an index that gives the order of the list, or few tasks. Each choice is a statement for each order, so they
 * are few: what is left is one folded condition.
 */
const accessFor = (filters: TaskFilters, sort: Sort, isByEntries: boolean): Access => {
  const few = accessToFew(filters)
  if (few) return few
  if (isByEntries) return accessByEntries(filters)
  if (filters.labels) return accessByLabels(filters)
  if (filters.assigneeIds?.length === 1) return accessByAssignee(filters, sort)
  return isByCreation(sort) ? accessByCreation(filters) : accessByOrder(filters, sort)
}

/** A list of one project looks at that one alone, and once. */
const visibility = (conditions: readonly Condition[], table: 't' | 'l'): Condition => {
  const ofProject = conditions.find(({ name }) => name === 't.project_id=')
  return ofProject ? isOfVisible(ofProject.params[0]!) : isInVisibleProject(table)
}

export const keysetScan = (tenantId: string, filters: TaskFilters, sort: Sort): KeysetScan => {
  const isByEntries = filters.labels?.length === 1 && isByCreation(sort) && !accessToFew(filters)
  const { conditions, rest } = accessFor(filters, sort, isByEntries)
  const folded = foldedCondition(rest)
  const w = isByEntries ? 'l' : 't'
  const all = [
    compared(`${w}.tenant_id`, '=', tenantId),
    ...conditions,
    ...(folded ? [folded] : []),
    visibility(conditions, w),
  ]

  const tasks = ({ joinByKey }: Dialect): string =>
    isByEntries ? `task_labels l ${joinByKey('tasks', 't', { tenant_id: ':tenant', id: 'l.task_id' })}` : 'tasks t'
  return {
    name: `${sort} ${all.map(({ name }) => name).join(' ')}`,
    entries: isByEntries && !folded ? () => 'task_labels l' : tasks,
    tasks,
    where: (dialect) => all.map(({ text }) => text(dialect)).join(' and '),
    params: ({ listOf }) => all.flatMap(({ params }) => params.map((param) => (isList(param) ? listOf(param) : param))),
    sortValue: isByEntries ? 'l.created_at' : columnOfSort[sort],
    projectId: `${w}.project_id`,
    number: `${w}.number`,
    direction: sort.startsWith('-') ? 'desc' : 'asc',
    isByProject: sort.endsWith('rank'),
  }
}
