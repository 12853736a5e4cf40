import { type Awaitable, andThen } from '../../../base/awaitable.js'
import { onlyProjectOf } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Sql, Value } from '../../../db/port.js'
import { listedOfVisibleProject } from '../../../db/project-conditions.js'
import { priorities } from '../fields.js'
import { type Asker, readyCondition } from '../queue/readiness-store.js'
import { anyLabel } from '../queue/ready-store.js'
import { waitsForResource } from '../resources/store.js'
import { type NarrowAccess, narrowAccess, narrowIds, withoutFilters } from './access-store.js'
import { allOf, type Condition, compared, dueOrNever, fixed, hasOneOfLabels, valuesOf } from './condition-store.js'
import type { FilterName, TaskFilters } from './filters.js'
import { foldedCondition } from './folded-store.js'
import { areFew } from './list-store.js'
import type { FoundPage, RowForm } from './page.js'
import { readSlices, rowsPerSlice, type SlicedScan } from './slice-store.js'

/** A task's place in the order in which `next` hands tasks out. */
export type ReadyPosition = [urgency: number, dueAtMs: number, rank: number, projectId: string, number: number]

export type ReadyRange = { limit: number; offset: number } | { limit: number; after: ReadyPosition }

/** Some of the ready tasks, in list order. */
interface Source {
  name: string
  table(dialect: Dialect): string
  tableParams: readonly Value[]
  /** The id of the task, and the columns of its position. */
  columns: readonly string[]
  conditions: readonly Condition[]
}

const names = ['urgency', 'due_at', 'rank', 'project_id', 'number'] as const

const queueColumns = ['r.task_id', 'r.urgency', 'r.due_at', 'r.rank', 'r.project_id', 'r.number']
const taskColumns = [
  ...['t.id', `cast(${priorities.length - 1} - t.priority as bigint)`],
  ...[dueOrNever, 't.rank', 't.project_id', 't.number'],
]

/** Whether a task is ready, ignoring the resources that other tasks have reserved. */
const isReadyNow = (asker: Asker): Condition => readyCondition({ ...asker, areResourcesReserved: false })

const isFree = ({ atMs }: Asker): Condition => ({
  name: 'free',
  text: (dialect) => `not ${waitsForResource(dialect, 'b.id')}`,
  params: [atMs],
})

/**
 * Tasks that are ready although they are not in the queue: their start time has come, or the claim that they waited for
 * has lapsed. They are queued by the first request that touches them, or by the service within two seconds.
 */
const dueTasks = (dialect: Dialect): string => `(
  select d.id as task_id from tasks d where d.tenant_id = ? and d.claim_expires_at <= ?
  union select d.id from tasks d where d.tenant_id = :tenant and d.wake_at <= ?
  union select q.task_id
    from tasks d ${dialect.joinByKey('ready_tasks', 'q', { tenant_id: ':tenant', waits_for: 'd.id' })}
    where d.tenant_id = :tenant and d.claim_expires_at <= ?) due
  ${dialect.joinByKey('tasks', 't', { tenant_id: ':tenant', id: 'due.task_id' })}`

/** No user has this id. */
const nobody = '-'

const narrowSource = (dialect: Dialect, tenantId: string, narrow: NarrowAccess, asker: Asker): Source => {
  const ofTenant = compared('t.tenant_id', '=', tenantId)
  const conditions = [ofTenant, ...narrow.conditions]
  const task = dialect.joinByKey('tasks', 't', { tenant_id: ':tenant', id: 'few.id' })
  return {
    name: `narrow ${conditions.map(({ name }) => name).join(' ')}`,
    table: () => `${narrowIds(dialect, narrow, conditions)} ${task}`,
    tableParams: valuesOf(dialect, conditions),
    columns: taskColumns,
    conditions: [ofTenant, isReadyNow(asker)],
  }
}

const queueSources = (tenantId: string, { projectId, label: labels, asker }: TaskFilters): Source[] => {
  const onlyProject = onlyProjectOf(projectId ?? null)
  const label = labels?.length === 1 ? labels[0]! : anyLabel
  const ofQueue = (assigneeId: string): Source => ({
    name: 'queue',
    table: () => 'ready_tasks r',
    tableParams: [],
    columns: queueColumns,
    conditions: [
      compared('r.tenant_id', '=', tenantId),
      compared('r.label', '=', label),
      compared('r.assignee_id', '=', assigneeId),
      ...(onlyProject === undefined ? [] : [compared('r.project_id', '=', onlyProject)]),
      fixed('r.waits_for is null'),
    ],
  })
  const { atMs } = asker
  const ofProject = onlyProject === undefined ? [] : [compared('t.project_id', '=', onlyProject)]
  const due: Source = {
    name: 'due',
    table: dueTasks,
    tableParams: [tenantId, atMs, atMs, atMs],
    columns: taskColumns,
    conditions: [
      compared('t.tenant_id', '=', tenantId),
      ...ofProject,
      ...(labels?.length === 1 ? [hasOneOfLabels(labels)] : []),
      isReadyNow(asker),
    ],
  }
  return [ofQueue(''), ofQueue(asker.userId ?? nobody), due]
}

const sourceText = ({ table, columns, conditions }: Source, dialect: Dialect, rows: number): string => {
  const [id, ...position] = columns
  // A cast beyond the first value would keep SQLite from seeking by more than the first.
  return `select * from (select ${id} as id, ${position.map((column, at) => `${column} as ${names[at]}`).join(', ')}
    from ${table(dialect)} where ${allOf(dialect, conditions)}
      and (${position.join(', ')}) > (cast(? as bigint), ?, ?, ?, ?)
    order by ${position.join(', ')} limit ${rows}) source`
}

const beforeAll: ReadyPosition = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, '', -1]

const scanOf = (
  { dialect }: Sql,
  sources: readonly Source[],
  conditions: readonly Condition[],
  readsTasks: boolean,
  rows: number,
): SlicedScan<ReadyPosition> => {
  const parts = [...sources.flatMap(({ name, conditions }) => [{ name }, ...conditions]), ...conditions]
  const task = readsTasks ? dialect.joinByKey('tasks', 't', { tenant_id: ':tenant', id: 'b.id' }) : ''
  return {
    name: `ready ${parts.map(({ name }) => name).join(' ')}`,
    rows,
    columns: names,
    order: names,
    direction: 'asc',
    start: beforeAll,
    // The first rows of the union of all sources are among the first rows of each source.
    batch: () => `select b.*, case when ${allOf(dialect, conditions)} then 1 else 0 end as matches from (
        ${sources.map((source) => sourceText(source, dialect, rows)).join(' union all ')}
        order by ${names.join(', ')} limit ${rows}) b ${task}`,
    params: (after) => [
      ...valuesOf(dialect, conditions),
      ...sources.flatMap(({ tableParams, conditions }) => [...tableParams, ...valuesOf(dialect, conditions), ...after]),
    ],
  }
}

/** A page of what the caller could claim, in the order of `next`; its total is null after a position. */
export const selectReadyPage = (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
  range: ReadyRange,
  form: RowForm,
): Awaitable<FoundPage<ReadyPosition>> => {
  const { ready: _, ...wanted } = filters
  const { asker } = filters
  const narrow = narrowAccess(wanted, 'next')
  return andThen(narrow ? areFew(db, tenantId, narrow) : false, (few) => {
    const served: FilterName[] = [
      ...(wanted.label?.length === 1 ? (['label'] as const) : []),
      ...(onlyProjectOf(wanted.projectId ?? null) === undefined ? [] : (['projectId'] as const)),
    ]
    const folded = foldedCondition(few ? narrow!.rest : withoutFilters(wanted, ...served))
    const conditions = [
      ...(folded ? [folded] : []),
      fixed(listedOfVisibleProject('b')),
      ...(asker.areResourcesReserved ? [isFree(asker)] : []),
    ]
    const sources = few ? [narrowSource(db.dialect, tenantId, narrow!, asker)] : queueSources(tenantId, wanted)
    const scan = scanOf(db, sources, conditions, folded !== undefined, rowsPerSlice(filters))
    return readSlices(db, scan, range, form)
  })
}
