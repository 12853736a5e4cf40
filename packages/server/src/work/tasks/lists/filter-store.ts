import { type Static, type TSchema, Type } from 'typebox'
import type { IndexFilter } from 'worklore-search'
import type { Awaitable } from '../../../base/awaitable.js'
import { parseMoment } from '../../../base/dates.js'
import { invalid } from '../../../base/errors.js'
import { maxReferenceLength, ProjectRefText } from '../../../base/fields.js'
import { isListed, type ProjectSet } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Value } from '../../../db/port.js'
import { hasVisibleMark, visibleMarkParams } from '../../../db/visible-marks.js'
import { holdsScope } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { projectIdsNamed } from '../../../tenancy/projects/service.js'
import { categories, statusText } from '../../../tenancy/projects/statuses.js'
import { isHuman } from '../../../tenancy/users/service.js'
import { markProjectsOf } from '../../fields/stale-marks.js'
import { scopesOf } from '../../search/query.js'
import { checkFlags, workerOf } from '../checks/rules.js'
import { checkFilters } from '../checks/schema.js'
import { priorities } from '../fields.js'
import { type Asker, exhaustedText, readyCondition } from '../queue/readiness-store.js'
import type { SearchedTask } from '../search/search-store.js'
import { type StatusFilter, statusFilterOf } from '../statuses/filter.js'
import { dueOrNever, dueOrPast, hasOneOfLabels, noOne, type Param } from './condition-store.js'

/** How a search index applies a filter. */
interface Indexed<V> {
  /** The facets of a task that the filter matches. */
  facets?(task: SearchedTask, labels: readonly string[]): string[]
  wanted(value: V): IndexFilter
}

/** A filter of tasks. `V` is its resolved value, which conditions compare with. */
export interface TaskFilter<S extends TSchema, V> {
  /** The schema of the query parameter. */
  schema: S
  /** Resolves the parameter for the caller. Throws if it is invalid; undefined selects all tasks. */
  read(given: Static<S>, call: Call): Awaitable<V | undefined>
  /** SQL condition on a task `t`. */
  text(dialect: Dialect, asker: Asker): string
  /** The parameters of `text`. */
  params(value: NoInfer<V>, asker: Asker): readonly Param[]
  paramCount(asker: Asker): number
  /** `store` if search indexes cannot apply the filter, so that a search checks its hits in the database. */
  search: Indexed<NoInfer<V>> | 'store'
  /** Whether the selected tasks change with time or with the rights of the caller, without a commit. */
  changesWithoutCommit: boolean
  /** Whether the filter is common. Conditions leave out the other filters if none of those is set. */
  isFrequent?: true
}

const filter = <S extends TSchema, V>(described: TaskFilter<S, V>): TaskFilter<S, V> => described

const maxFilterValues = 50

/** A parameter that selects any of several values. */
const anyOf = <T extends TSchema>(value: T, description: string) =>
  Type.Array(value, { maxItems: maxFilterValues, description })
const Text = Type.String({ minLength: 1 })
const text = (description: string) => Type.String({ minLength: 1, description })

/** Sorted, so that a cursor does not depend on the order of values in the query. */
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)].sort()

const isTrue = '(cast(? as bigint) = 1)'
const asNumber = (value: boolean): number => (value ? 1 : 0)

const unchanged = <V>(given: V): V => given
const one = { params: (value: Value) => [value], paramCount: () => 1 }
const oneList = { params: (values: readonly (string | number)[]) => [values], paramCount: () => 1 }
const ofCommits = { changesWithoutCommit: false } as const
const ofTime = { changesWithoutCommit: true } as const
const inStore = { search: 'store' } as const

/** Matches documents that have one of the wanted facets. */
const byFacet = <V>(
  name: string,
  valuesOf: (task: SearchedTask, labels: readonly string[]) => readonly (string | number)[],
  wanted: (value: V) => readonly (string | number)[],
): { search: Indexed<V> } => {
  const facet = (value: string | number): string => `${name}:${value}`
  return {
    search: {
      facets: (task, labels) => valuesOf(task, labels).map(facet),
      wanted: (value) => ({ facets: [wanted(value).map(facet)] }),
    },
  }
}

/** A parameter with a date or time, which is compared in milliseconds. */
const moment = (path: 'dueBefore' | 'dueAfter' | 'updatedAfter', description: string) => ({
  ...ofCommits,
  ...one,
  schema: Type.String({ description }),
  read: (given: string): number => {
    const found = parseMoment(given)
    if (!found) throw invalid({ path, message: 'must be a valid date (2026-01-31), or a timestamp with a time zone' })
    return found.ms
  },
  search: { wanted: (value: number): IndexFilter => ({ [path]: value }) },
})

const keyNamed = (given: string, { actor }: Call): string => (given === 'me' ? actor.keyId : given)

/** No user has this ID. */
const nobody = '-'

const isLinked = (from: 'task_id' | 'other_id', to: 'task_id' | 'other_id'): string =>
  `exists (select 1 from task_links k where k.tenant_id = :tenant and k.${to} = t.id and k.${from} = ?
    and k.kind = 'blocker')`

const openFlags = Object.values(checkFlags.open).reduce((sum, each) => sum + each, 0)
const flagsOf = { open: openFlags, failed: checkFlags.failed, none: -1 } as const

/** Who may decide an open check; null for callers who may decide none. */
type Verifier = (ReturnType<typeof workerOf> & { isHuman: boolean }) | null

/** Quotes an ID as JSON, to search for it in the work record. */
const quoted = (verifier: Verifier, id: string | null | undefined): string =>
  JSON.stringify(id ?? verifier?.keyId ?? '')

/**
 * All filters of tasks. Queries, lists, counts, searches and the cache of responses read this table, so a new filter is
 * an entry here. SQL checks the filters in this order, so expensive ones come last.
 */
export const taskFilters = {
  projectId: filter({
    ...ofCommits,
    schema: anyOf(Type.String({ minLength: 1, maxLength: maxReferenceLength }), ProjectRefText),
    read: (given, call): Awaitable<ProjectSet> => projectIdsNamed(call, distinct(given)),
    text: (dialect) => `(${dialect.isAmong('t.project_id', 'text')}) = (cast(? as bigint) = 0)`,
    params: (set) => (isListed(set) ? [set, 0] : [set?.except ?? [], 1]),
    paramCount: () => 2,
    search: { wanted: scopesOf },
    isFrequent: true,
  }),
  priority: filter({
    ...ofCommits,
    ...oneList,
    schema: anyOf(Type.Enum([...priorities]), `One of ${priorities.join(', ')}.`),
    read: (given): number[] => distinct(given.map((name) => priorities.indexOf(name))),
    text: (dialect) => dialect.isAmong('t.priority', 'bigint'),
    ...byFacet('priority', ({ priority }) => [priority], unchanged<readonly number[]>),
    isFrequent: true,
  }),
  status: filter({
    ...ofCommits,
    schema: anyOf(
      Type.String(statusText),
      `One of ${categories.join(', ')}, each with all statuses of that category, or a status of a project.`,
    ),
    read: (given, call) => statusFilterOf(call, given),
    text: (dialect) =>
      `(${dialect.isAmong('t.status', 'text')} and (cast(? as bigint) = 0
        or ${dialect.isAmong('t.custom_status', 'text')} or ${dialect.isAmong('t.status', 'text')}))`,
    params: ({ categories, names }) => [categories, names ? 1 : 0, names ?? [], names ?? []],
    paramCount: () => 4,
    ...byFacet(
      'status',
      ({ status, custom_status }) => [status, ...(custom_status === null ? [] : [custom_status])],
      ({ categories, names }: StatusFilter) => names ?? categories,
    ),
    isFrequent: true,
  }),
  assignee: filter({
    ...ofCommits,
    schema: anyOf(Text, 'A user id, `me` for the user of this key, or `none` for unassigned tasks.'),
    read: (given, { actor }) => distinct(given.map((id) => (id === 'me' ? (actor.userId ?? nobody) : id))),
    text: (dialect) => `(${dialect.isAmong('t.assignee_id', 'text')} or (t.assignee_id is null and ${isTrue}))`,
    params: (ids) => [ids, asNumber(ids.includes(noOne))],
    paramCount: () => 2,
    ...byFacet('assignee', ({ assignee_id }) => [assignee_id ?? noOne], unchanged<readonly string[]>),
  }),
  dueBefore: filter({ ...moment('dueBefore', 'Due before this date or time.'), text: () => `${dueOrNever} < ?` }),
  dueAfter: filter({ ...moment('dueAfter', 'Due after this date or time.'), text: () => `${dueOrPast} > ?` }),
  updatedAfter: filter({
    ...moment('updatedAfter', 'Updated after this date or time.'),
    text: () => 't.updated_at > ?',
  }),
  id: filter({
    ...ofCommits,
    ...inStore,
    ...oneList,
    schema: Type.Array(Text, { maxItems: 100, description: 'Ids of tasks.' }),
    read: (given): string[] => distinct(given),
    text: (dialect) => dialect.isAmong('t.id', 'text'),
  }),
  createdBy: filter({
    ...ofCommits,
    ...inStore,
    ...one,
    schema: text('The key that created the task; `me` for the current key.'),
    read: keyNamed,
    text: () => 't.created_by = ?',
  }),
  externalId: filter({
    ...ofCommits,
    ...inStore,
    ...one,
    schema: text('Identifier in another system.'),
    read: unchanged<string>,
    text: () => "coalesce(t.external_id, '') = ?",
  }),
  parentId: filter({
    ...ofCommits,
    ...inStore,
    schema: text('The parent task; `none` for tasks without a parent.'),
    read: (given): string | null => (given === 'none' ? null : given),
    text: () => "coalesce(t.parent_id, '') = ?",
    params: (id) => [id ?? ''],
    paramCount: () => 1,
  }),
  stale: filter({
    ...ofCommits,
    ...inStore,
    schema: Type.Boolean({ description: 'Whether the task relied on knowledge that no longer holds.' }),
    /** `visible` are the projects whose items the caller sees in staleness marks. */
    read: (isStale, { actor }) => ({ isStale, visible: markProjectsOf(actor) }),
    text: (dialect) => `${hasVisibleMark(dialect, 't.stale')} = ${isTrue}`,
    params: ({ isStale, visible }) => [...visibleMarkParams(visible), asNumber(isStale)],
    paramCount: () => 3,
  }),
  claimed: filter({
    ...ofTime,
    ...inStore,
    schema: Type.Boolean({ description: 'Whether the task has an active claim.' }),
    read: unchanged<boolean>,
    text: () => `(coalesce(t.claim_expires_at, 0) > ?) = ${isTrue}`,
    params: (isClaimed, { atMs }) => [atMs, asNumber(isClaimed)],
    paramCount: () => 2,
  }),
  claimedBy: filter({
    ...ofTime,
    ...inStore,
    schema: text('The key that holds an active claim; `me` for the current key.'),
    read: keyNamed,
    text: () => "(coalesce(t.claim_key_id, '') = ? and coalesce(t.claim_expires_at, 0) > ?)",
    params: (keyId, { atMs }) => [keyId, atMs],
    paramCount: () => 2,
  }),
  checks: filter({
    ...ofCommits,
    ...inStore,
    schema: Type.Enum([...checkFilters], {
      description: 'Tasks with an open check, with a failed one, or without any.',
    }),
    read: unchanged<(typeof checkFilters)[number]>,
    // For "none", the mask has all flags, and none of them may be set.
    text: () => '((t.check_flags & cast(? as bigint)) <> 0) = (cast(? as bigint) = 1)',
    params: (state) => [flagsOf[state], state === 'none' ? 0 : 1],
    paramCount: () => 2,
  }),
  canVerify: filter({
    ...ofTime,
    ...inStore,
    schema: Type.Boolean({
      default: false,
      description: 'Only tasks in review with an open check that this key may decide.',
    }),
    read: async (isWanted, call): Promise<Verifier | undefined> => {
      if (!isWanted) return undefined
      return holdsScope(call.actor, 'tasks:write') ? { ...workerOf(call.actor), isHuman: await isHuman(call) } : null
    },
    text: () => `(t.status = 'in_review' and ((t.check_flags & cast(? as bigint)) <> 0
      or ((t.check_flags & cast(? as bigint)) <> 0 and
        replace(replace(coalesce(t.work_record, ''), ?, ''), ?, '') = coalesce(t.work_record, ''))))`,
    params: (verifier) => [
      verifier ? checkFlags.open.anyone + (verifier.isHuman ? checkFlags.open.human : 0) : 0,
      verifier ? checkFlags.open.other : 0,
      quoted(verifier, verifier?.keyId),
      quoted(verifier, verifier?.userId),
    ],
    paramCount: () => 4,
  }),
  exhausted: filter({
    ...ofCommits,
    ...inStore,
    schema: Type.Boolean({ description: 'Whether the task has used up its attempts.' }),
    read: unchanged<boolean>,
    text: () => `${exhaustedText} = ${isTrue}`,
    params: (isExhausted) => [asNumber(isExhausted)],
    paramCount: () => 1,
  }),
  label: filter({
    ...ofCommits,
    ...oneList,
    schema: anyOf(Text, 'A label.'),
    read: (given): string[] => distinct(given),
    text: (dialect) => hasOneOfLabels([]).text(dialect),
    ...byFacet('label', (_, labels) => labels, unchanged<readonly string[]>),
  }),
  blockedBy: filter({
    ...ofCommits,
    ...inStore,
    ...one,
    schema: text('Tasks blocked by this task.'),
    read: unchanged<string>,
    text: () => isLinked('other_id', 'task_id'),
  }),
  blocks: filter({
    ...ofCommits,
    ...inStore,
    ...one,
    schema: text('Tasks that block this task.'),
    read: unchanged<string>,
    text: () => isLinked('task_id', 'other_id'),
  }),
  ready: filter({
    ...ofTime,
    ...inStore,
    schema: Type.Boolean({ description: 'Whether this key could claim the task now.' }),
    read: unchanged<boolean>,
    text: (dialect, asker) => `(${readyCondition(asker).text(dialect)}) = ${isTrue}`,
    params: (isReady, asker) => [...readyCondition(asker).params, asNumber(isReady)],
    paramCount: (asker) => readyCondition(asker).params.length + 1,
  }),
}
