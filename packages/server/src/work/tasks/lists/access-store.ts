import { onlyProjectOf } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Sort } from '../schema.js'
import {
  allOf,
  type Condition,
  compared,
  dueOrNever,
  dueOrPast,
  fixed,
  isAmong,
  isAssignedTo,
} from './condition-store.js'
import type { FilterName, TaskFilters } from './filters.js'

/** Conditions that an index serves, and the remaining filters. */
interface Access {
  conditions: readonly Condition[]
  rest: TaskFilters
}

/** An index that contains the tasks in list order, from the first match of its conditions to the last. */
export interface OrderedAccess extends Access {
  /** Whether the tasks are read through the entries `l` of one label. */
  isByEntries: boolean
}

/** Conditions that may leave few tasks, in any order. */
export interface NarrowAccess extends Access {
  /** Whether the tasks may still be many, so that they are counted first. */
  isCounted: boolean
  /** Whether the index of the conditions is in creation order. */
  isByCreation: boolean
}

export const columnOfSort: Record<Sort, string> = {
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

const isByCreation = (sort: Sort): boolean => columnOfSort[sort] === 't.created_at'

/** The condition of the partial index of tasks with checks, exactly as the index states it. */
const isToCheck = fixed('t.check_flags > 1')
/** The condition of the partial index of tasks with marks, exactly as the index states it. */
const hasMarks = fixed('t.stale is not null')

/** Tasks linked to one task, at most a thousand. */
const isLinked = (to: 'task_id' | 'other_id', from: 'task_id' | 'other_id', id: string): Condition => ({
  name: `linked by ${from}`,
  text: () =>
    `t.id in (select k.${to} from task_links k where k.tenant_id = :tenant and k.${from} = ? and k.kind = 'blocker')`,
  params: [id],
})

const isAmongLabelled = (labels: readonly string[]): Condition => ({
  name: 'among labelled',
  text: (dialect) =>
    `t.id in (select x.task_id from task_labels x where x.tenant_id = :tenant and ${dialect.isAmong('x.label', 'text')})`,
  params: [labels],
})

const hasChecks = ({ checks, canVerify }: TaskFilters): boolean =>
  checks === 'open' || checks === 'failed' || canVerify !== undefined

export const withoutFilters = (filters: TaskFilters, ...names: FilterName[]): TaskFilters => {
  const rest = { ...filters }
  for (const name of names) delete rest[name]
  return rest
}

/** Leaves the marks to be checked task by task if the caller does not see all of them. */
const withoutServedMarks = (filters: TaskFilters): TaskFilters =>
  filters.stale?.visible === null ? withoutFilters(filters, 'stale') : filters

/** Returns the access for the first filter of the list that has an index in creation order. */
const accessByCreation = (filters: TaskFilters): OrderedAccess => {
  const { projectId, status, assignee: assignees, label: labels, createdBy, parentId, claimedBy, stale } = filters
  const by = (rest: TaskFilters, ...conditions: Condition[]): OrderedAccess => ({
    ...{ conditions, rest, isByEntries: false },
  })
  const without = (...names: FilterName[]): TaskFilters => withoutFilters(filters, ...names)
  if (typeof parentId === 'string') return by(without('parentId'), compared('t.parent_id', '=', parentId))
  if (claimedBy !== undefined) return by(filters, compared('t.claim_key_id', '=', claimedBy))
  if (hasChecks(filters)) return by(filters, isToCheck)
  if (stale?.isStale) return by(withoutServedMarks(filters), hasMarks)
  const assignee = assignees?.length === 1 ? assignees[0] : undefined
  if (labels?.length === 1) {
    const ofLabel = compared('l.label', '=', labels[0]!)
    const ofAssignee = assignee === undefined ? [] : [isAssignedTo('l.assignee_id', assignee)]
    const rest = without('label', ...(assignee === undefined ? [] : (['assignee'] as const)))
    return { ...by(rest, ofLabel, ...ofAssignee), isByEntries: true }
  }
  if (assignee !== undefined) return by(without('assignee'), isAssignedTo('t.assignee_id', assignee))
  if (createdBy !== undefined) return by(without('createdBy'), compared('t.created_by', '=', createdBy))
  const onlyProject = onlyProjectOf(projectId ?? null)
  const onlyStatus = status?.categories.length === 1 ? status.categories[0] : undefined
  const statusNames = status?.names
  const ofProject = onlyProject === undefined ? [] : [compared('t.project_id', '=', onlyProject)]
  const ofStatus = onlyStatus === undefined ? [] : [compared('t.status', '=', onlyStatus)]
  const served: FilterName[] = [
    ...(onlyProject === undefined ? [] : (['projectId'] as const)),
    ...(onlyStatus === undefined || statusNames ? [] : (['status'] as const)),
  ]
  if (onlyProject !== undefined && onlyStatus !== undefined && statusNames?.length === 1) {
    const ofName = compared('t.custom_status', '=', statusNames[0]!)
    return by(without(...served, 'status'), ...ofProject, ofName, ...ofStatus)
  }
  return by(without(...served), ...ofProject, ...ofStatus)
}

/** A filter on the sort column limits the range of its index. */
const boundsOf = (filters: TaskFilters, sort: Sort): Access => {
  const { updatedAfter, priority: priorities, dueBefore, dueAfter } = filters
  const column = columnOfSort[sort]
  if (column === 't.updated_at' && updatedAfter !== undefined) {
    const rest = withoutFilters(filters, 'updatedAfter')
    return { conditions: [compared(column, '>', updatedAfter)], rest }
  }
  if (column === 't.priority' && priorities) {
    const params = [Math.min(...priorities), Math.max(...priorities)]
    const rest = withoutFilters(filters, 'priority')
    const hasGap = priorities.length <= params[1]! - params[0]!
    const range = { name: 'priorities', text: () => 't.priority between ? and ?', params }
    return { conditions: [range], rest: hasGap ? filters : rest }
  }
  if (sort === 'dueDate' && dueBefore !== undefined) {
    const rest = withoutFilters(filters, 'dueBefore')
    return { conditions: [compared(dueOrNever, '<', dueBefore)], rest }
  }
  if (sort === '-dueDate' && dueAfter !== undefined) {
    const rest = withoutFilters(filters, 'dueAfter')
    return { conditions: [compared(dueOrPast, '>', dueAfter)], rest }
  }
  return { conditions: [], rest: filters }
}

/** Chooses the index that is in list order. The remaining filters are checked task by task. */
export const orderedAccess = (filters: TaskFilters, sort: Sort): OrderedAccess => {
  if (isByCreation(sort)) return accessByCreation(filters)
  const onlyProject = onlyProjectOf(filters.projectId ?? null)
  const { conditions, rest } = boundsOf(
    onlyProject === undefined ? filters : withoutFilters(filters, 'projectId'),
    sort,
  )
  const ofProject = onlyProject === undefined ? [] : [compared('t.project_id', '=', onlyProject)]
  return { conditions: [...ofProject, ...conditions], rest, isByEntries: false }
}

/** Chooses conditions that may leave few tasks. These are then sorted, unless an index has them in list order. */
export const narrowAccess = (filters: TaskFilters, order: Sort | 'next'): NarrowAccess | undefined => {
  const without = (name: FilterName): TaskFilters => withoutFilters(filters, name)
  const few = (rest: TaskFilters, condition: Condition): NarrowAccess => ({
    ...{ conditions: [condition], rest, isCounted: false, isByCreation: false },
  })
  const counted = (rest: TaskFilters, condition: Condition): NarrowAccess => ({
    ...few(rest, condition),
    isCounted: true,
  })
  const byCreation = (rest: TaskFilters, condition: Condition): NarrowAccess => ({
    ...counted(rest, condition),
    isByCreation: true,
  })
  const { id: ids, externalId, blockedBy, blocks, parentId } = filters
  if (ids) return few(without('id'), isAmong('t.id', ids))
  if (externalId !== undefined) return few(without('externalId'), compared('t.external_id', '=', externalId))
  if (blockedBy !== undefined) return few(without('blockedBy'), isLinked('task_id', 'other_id', blockedBy))
  if (blocks !== undefined) return few(without('blocks'), isLinked('other_id', 'task_id', blocks))
  const { claimedBy, claimed, asker, stale, label: labels, assignee: assignees, createdBy } = filters
  if (order === 'next' || !isByCreation(order)) {
    if (typeof parentId === 'string') return byCreation(without('parentId'), compared('t.parent_id', '=', parentId))
    if (claimedBy !== undefined) return byCreation(filters, compared('t.claim_key_id', '=', claimedBy))
    if (hasChecks(filters)) return byCreation(filters, isToCheck)
    if (stale?.isStale) return byCreation(withoutServedMarks(filters), hasMarks)
    if (labels?.length === 1) return counted(without('label'), isAmongLabelled(labels))
    if (assignees?.length === 1) {
      return byCreation(without('assignee'), isAssignedTo('t.assignee_id', assignees[0]!))
    }
    if (createdBy !== undefined) return byCreation(without('createdBy'), compared('t.created_by', '=', createdBy))
  }
  if (claimed) return counted(without('claimed'), compared('t.claim_expires_at', '>', asker.atMs))
  return labels && labels.length > 1 ? counted(without('label'), isAmongLabelled(labels)) : undefined
}

/** How many tasks of a narrow access one statement may sort. */
export const maxSorted = 500
/** Exceeds the number of tasks of every access that is not counted first. */
const maxNarrow = 10_000

/** The ids of the tasks of a narrow access, whose conditions include the tenant. */
export const narrowIds = (
  dialect: Dialect,
  { isByCreation }: Pick<NarrowAccess, 'isByCreation'>,
  conditions: readonly Condition[],
  limit = maxNarrow,
): string => {
  // The order makes SQLite use the index of the condition, if the condition is that of a partial index.
  const order = isByCreation ? ' order by t.created_at' : ''
  return `(select t.id from tasks t where ${allOf(dialect, conditions)}${order} limit ${limit}) few`
}
