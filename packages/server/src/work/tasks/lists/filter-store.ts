import { isListed } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Value } from '../../../db/port.js'
import { hasVisibleMark, visibleMarkParams } from '../../../db/visible-marks.js'
import { checkFlags } from '../checks/rules.js'
import {
  type Condition,
  dueOrNever,
  dueOrPast,
  exhaustedText,
  hasOneOfLabels,
  noOne,
  type Param,
  readyParams,
  readyText,
} from './condition-store.js'
import type { Asked, TaskFilters } from './filters.js'

/** The names of the filters; `asked` and `markProjects` are arguments of some of them. */
export type FilterName = Exclude<keyof TaskFilters, 'asked' | 'markProjects'>

/** A filter of tasks as SQL. */
interface StoredFilter {
  text(dialect: Dialect, areResourcesReserved: boolean): string
  /** The parameters of `text`; undefined if the list does not have the filter. */
  params(filters: TaskFilters): readonly Param[] | undefined
  paramCount: number
  /** Whether search indexes know the filter. A search checks its hits against all other filters in the store. */
  isInSearchIndex: boolean
  /** Whether the filter is common, so that it is checked before the others. */
  isFrequent?: true
}

const list = (values: readonly (string | number)[] | undefined): readonly Param[] | undefined =>
  values ? [values] : undefined
const value = (given: Value | undefined): readonly Value[] | undefined => (given === undefined ? undefined : [given])
const flag = (given: boolean | undefined): readonly Value[] | undefined =>
  given === undefined ? undefined : [given ? 1 : 0]

const isTrue = '(cast(? as bigint) = 1)'
const inSearchIndex = { isInSearchIndex: true } as const
const inStore = { isInSearchIndex: false } as const

const nobodyAsked: Asked = { tenantId: '', userId: null, atMs: 0 }

const openFlags = Object.values(checkFlags.open).reduce((sum, each) => sum + each, 0)
const flagsOf = { open: openFlags, failed: checkFlags.failed, none: -1 } as const

/** Quotes an ID as JSON, to search for it in the work record. */
const quoted = (verifier: TaskFilters['verifier'], id: string | null | undefined): string =>
  JSON.stringify(id ?? verifier?.keyId ?? '')

const isLinked = (from: 'task_id' | 'other_id', to: 'task_id' | 'other_id'): string =>
  `exists (select 1 from task_links k where k.tenant_id = :tenant and k.${to} = t.id and k.${from} = ?
    and k.kind = 'blocker')`

/** All filters of tasks. A new filter needs an entry here, but no statement of its own. */
const taskFilters: Readonly<Record<FilterName, StoredFilter>> = {
  projectIds: {
    ...inSearchIndex,
    isFrequent: true,
    text: (dialect) => `(${dialect.isAmong('t.project_id', 'text')}) = (cast(? as bigint) = 0)`,
    params: ({ projectIds }) => {
      if (projectIds === null) return undefined
      return isListed(projectIds) ? [projectIds, 0] : [projectIds.except, 1]
    },
    paramCount: 2,
  },
  priorities: {
    ...inSearchIndex,
    isFrequent: true,
    text: (dialect) => dialect.isAmong('t.priority', 'bigint'),
    params: ({ priorities }) => list(priorities),
    paramCount: 1,
  },
  statuses: {
    ...inSearchIndex,
    isFrequent: true,
    text: (dialect) => dialect.isAmong('t.status', 'text'),
    params: ({ statuses }) => list(statuses),
    paramCount: 1,
  },
  assigneeIds: {
    ...inSearchIndex,
    text: (dialect) => `(${dialect.isAmong('t.assignee_id', 'text')} or (t.assignee_id is null and ${isTrue}))`,
    params: ({ assigneeIds }) => assigneeIds && [assigneeIds, assigneeIds.includes(noOne) ? 1 : 0],
    paramCount: 2,
  },
  statusNames: {
    ...inSearchIndex,
    text: (dialect) => `(${dialect.isAmong('t.custom_status', 'text')} or ${dialect.isAmong('t.status', 'text')})`,
    params: ({ statusNames }) => statusNames && [statusNames, statusNames],
    paramCount: 2,
  },
  dueBeforeMs: {
    ...inSearchIndex,
    text: () => `${dueOrNever} < ?`,
    params: ({ dueBeforeMs }) => value(dueBeforeMs),
    paramCount: 1,
  },
  dueAfterMs: {
    ...inSearchIndex,
    text: () => `${dueOrPast} > ?`,
    params: ({ dueAfterMs }) => value(dueAfterMs),
    paramCount: 1,
  },
  updatedAfterMs: {
    ...inSearchIndex,
    text: () => 't.updated_at > ?',
    params: ({ updatedAfterMs }) => value(updatedAfterMs),
    paramCount: 1,
  },
  ids: {
    ...inStore,
    text: (dialect) => dialect.isAmong('t.id', 'text'),
    params: ({ ids }) => list(ids),
    paramCount: 1,
  },
  createdBy: {
    ...inStore,
    text: () => 't.created_by = ?',
    params: ({ createdBy }) => value(createdBy),
    paramCount: 1,
  },
  externalId: {
    ...inStore,
    text: () => "coalesce(t.external_id, '') = ?",
    params: ({ externalId }) => value(externalId),
    paramCount: 1,
  },
  parentId: {
    ...inStore,
    text: () => "coalesce(t.parent_id, '') = ?",
    params: ({ parentId }) => (parentId === undefined ? undefined : [parentId ?? '']),
    paramCount: 1,
  },
  isStale: {
    ...inStore,
    text: (dialect) => `${hasVisibleMark(dialect, 't.stale')} = ${isTrue}`,
    params: ({ isStale, markProjects = null }) =>
      isStale === undefined ? undefined : [...visibleMarkParams(markProjects), isStale ? 1 : 0],
    paramCount: 3,
  },
  isClaimed: {
    ...inStore,
    text: () => `(coalesce(t.claim_expires_at, 0) > ?) = ${isTrue}`,
    params: ({ isClaimed, asked }) => (isClaimed === undefined || !asked ? undefined : [asked.atMs, isClaimed ? 1 : 0]),
    paramCount: 2,
  },
  claimedBy: {
    ...inStore,
    text: () => "(coalesce(t.claim_key_id, '') = ? and coalesce(t.claim_expires_at, 0) > ?)",
    params: ({ claimedBy, asked }) => (claimedBy === undefined ? undefined : [claimedBy, asked!.atMs]),
    paramCount: 2,
  },
  checks: {
    ...inStore,
    // For "none", the mask has all flags, and none of them may be set.
    text: () => '((t.check_flags & cast(? as bigint)) <> 0) = (cast(? as bigint) = 1)',
    params: ({ checks }) => checks && [flagsOf[checks], checks === 'none' ? 0 : 1],
    paramCount: 2,
  },
  verifier: {
    ...inStore,
    text: () => `(t.status = 'in_review' and ((t.check_flags & cast(? as bigint)) <> 0
      or ((t.check_flags & cast(? as bigint)) <> 0 and
        replace(replace(coalesce(t.work_record, ''), ?, ''), ?, '') = coalesce(t.work_record, ''))))`,
    params: ({ verifier }) =>
      verifier === undefined
        ? undefined
        : [
            verifier ? checkFlags.open.anyone + (verifier.isHuman ? checkFlags.open.human : 0) : 0,
            verifier ? checkFlags.open.other : 0,
            quoted(verifier, verifier?.keyId),
            quoted(verifier, verifier?.userId),
          ],
    paramCount: 4,
  },
  isExhausted: {
    ...inStore,
    text: () => `(${exhaustedText}) = ${isTrue}`,
    params: ({ isExhausted }) => flag(isExhausted),
    paramCount: 1,
  },
  labels: {
    ...inSearchIndex,
    text: (dialect) => hasOneOfLabels([]).text(dialect),
    params: ({ labels }) => list(labels),
    paramCount: 1,
  },
  blockedBy: {
    ...inStore,
    text: () => isLinked('other_id', 'task_id'),
    params: ({ blockedBy }) => value(blockedBy),
    paramCount: 1,
  },
  blocks: {
    ...inStore,
    text: () => isLinked('task_id', 'other_id'),
    params: ({ blocks }) => value(blocks),
    paramCount: 1,
  },
  isReady: {
    ...inStore,
    text: (dialect, areResourcesReserved) =>
      `(${readyText(dialect, { ...nobodyAsked, areResourcesReserved })}) = ${isTrue}`,
    params: ({ isReady, asked }) =>
      isReady === undefined || !asked ? undefined : [...readyParams(asked), isReady ? 1 : 0],
    paramCount: 4,
  },
}

const isGiven = (filters: TaskFilters) => (filter: StoredFilter) => filter.params(filters) !== undefined

const all = Object.values(taskFilters)
const frequent = all.filter(({ isFrequent }) => isFrequent)
const rare = all.filter(({ isFrequent }) => !isFrequent)
const onlyInStore = all.filter(({ isInSearchIndex }) => !isInSearchIndex)

/** Whether the hits of a search must be checked in the store. */
export const needsStore = (filters: TaskFilters): boolean => onlyInStore.some(isGiven(filters))

/** Checking reserved resources adds a parameter to `isReady`, so lists that check them have their own statement. */
const paramCountOf = (filter: StoredFilter, areResourcesReserved: boolean): number =>
  filter.paramCount + (filter === taskFilters.isReady && areResourcesReserved ? 1 : 0)

const unless = (text: string): string => `(cast(? as bigint) is null or ${text})`

/**
 * Returns one condition that covers all filters, whichever are set, because one text per combination would make too
 * many statements. Returns undefined if no filter is set.
 */
export const foldedCondition = (filters: TaskFilters): Condition | undefined => {
  const hasRare = rare.some(isGiven(filters))
  if (!hasRare && !frequent.some(isGiven(filters))) return undefined
  const isReserved = filters.isReady !== undefined && filters.asked?.areResourcesReserved === true
  const textOf = (some: readonly StoredFilter[], dialect: Dialect): string =>
    some.map(({ text }) => unless(text(dialect, isReserved))).join(' and ')
  const paramsOf = (some: readonly StoredFilter[]): Param[] =>
    some.flatMap((filter) => {
      const given = filter.params(filters)
      return given ? [1, ...given] : Array<null>(paramCountOf(filter, isReserved) + 1).fill(null)
    })
  // The text of the rare filters is long, so it is left out if none of them is set.
  return {
    name: `folded${hasRare ? ' rare' : ''}${isReserved ? ' reserved' : ''}`,
    text: (dialect) =>
      hasRare ? `${textOf(frequent, dialect)} and ${textOf(rare, dialect)}` : textOf(frequent, dialect),
    params: [...paramsOf(frequent), ...(hasRare ? paramsOf(rare) : [])],
  }
}
