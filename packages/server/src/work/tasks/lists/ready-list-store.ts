import { type Awaitable, andThen } from '../../../base/awaitable.js'
import { onlyProjectOf } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Sql, Value } from '../../../db/port.js'
import { priorities } from '../fields.js'
import { anyLabel } from '../queue/ready-store.js'
import { waitsForResource } from '../resources/store.js'
import {
  type Condition,
  compared,
  dueOrNever,
  foldedCondition,
  hasOneOfLabels,
  isInVisibleProject,
  readyParams,
  readyText,
} from './condition-store.js'
import type { Asked, TaskFilters } from './filters.js'
import { accessToFew, isList } from './keyset-store.js'
import { cappedTotal, type FoundPage, jsonOfForm, type PageRow, pageFrom, type TaskForm } from './list-store.js'

/** A task's place in the order in which `next` hands tasks out. */
export type ReadyPosition = [urgency: number, dueAtMs: number, rank: number, projectId: string, number: number]

export type ReadyRange = { limit: number; offset: number } | { limit: number; after: ReadyPosition }

/** Some of the ready tasks, read in the order of the list: no more of them than the page can need. */
interface Source {
  table: string
  tableParams?: readonly Value[]
  /** Whose tasks are joined as `t`, where its conditions are about them too. */
  joinsTasksOf: 'r' | 'due' | null
  columns: readonly string[]
  conditions: readonly Condition[]
}

const names = ['urgency', 'due_at', 'rank', 'project_id', 'number'] as const
const inOrder = `order by ${names.join(', ')}`

const queueColumns = ['r.task_id', ...names.map((name) => `r.${name}`)]
const taskColumns = [
  ...['t.id', `cast(${priorities.length - 1} - t.priority as bigint)`],
  ...[dueOrNever, 't.rank', 't.project_id', 't.number'],
]

const nameFor = (name: string, { areResourcesReserved = false }: Asked): string =>
  areResourcesReserved ? `${name} beside reservations` : name

const isReadyNow = (asked: Asked): Condition => ({
  name: nameFor('ready', asked),
  text: (dialect) => readyText(dialect, asked),
  params: readyParams(asked),
})

const isInQueue = (asked: Asked): Condition => ({
  name: nameFor('in queue', asked),
  text: (dialect) =>
    asked.areResourcesReserved
      ? `r.waits_for is null and not ${waitsForResource(dialect, 'r.task_id')}`
      : 'r.waits_for is null',
  params: asked.areResourcesReserved ? [asked.atMs] : [],
})

/**
 * What time alone has made ready, and what was found to wait for a resource whose claim has run out: it is queued by whoever
 * touches it first, or by the service's next round.
 */
const dueTasks = ({ joinByKey }: Dialect): string => `(
  select d.id as task_id from tasks d where d.tenant_id = ? and d.claim_expires_at <= ?
  union select d.id from tasks d where d.tenant_id = :tenant and d.wake_at <= ?
  union select q.task_id
    from tasks d ${joinByKey('ready_tasks', 'q', { tenant_id: ':tenant', waits_for: 'd.id' })}
    where d.tenant_id = :tenant and d.claim_expires_at <= ?) due`

/** No user has this id. */
const nobody = '-'

const given = (...conditions: (Condition | undefined)[]): Condition[] =>
  conditions.filter((condition) => condition !== undefined)

const sourcesOf = (tenantId: string, filters: TaskFilters, dialect: Dialect): Source[] => {
  const { isReady: _, ...wanted } = filters
  const few = accessToFew(wanted)
  const ofTasks = (...conditions: (Condition | undefined)[]): Source => ({
    table: 'tasks t',
    joinsTasksOf: null,
    columns: taskColumns,
    conditions: given(
      compared('t.tenant_id', '=', tenantId),
      ...conditions,
      isReadyNow(filters.asked!),
      isInVisibleProject('t'),
    ),
  })
  if (few) return [ofTasks(...few.conditions, foldedCondition(few.rest))]
  const { projectIds, labels, ...others } = wanted
  const onlyProject = onlyProjectOf(projectIds)
  const hasOneLabel = labels?.length === 1
  const labelled = labels && hasOneOfLabels(labels)
  const rest = foldedCondition({ ...others, projectIds: onlyProject === undefined ? projectIds : null })
  const ofQueue = (assigneeId: string): Source => ({
    table: 'ready_tasks r',
    joinsTasksOf: rest !== undefined || (labelled !== undefined && !hasOneLabel) ? 'r' : null,
    columns: queueColumns,
    conditions: given(
      compared('r.tenant_id', '=', tenantId),
      compared('r.label', '=', hasOneLabel ? labels[0]! : anyLabel),
      compared('r.assignee_id', '=', assigneeId),
      onlyProject === undefined ? undefined : compared('r.project_id', '=', onlyProject),
      isInQueue(filters.asked!),
      hasOneLabel ? undefined : labelled,
      rest,
      isInVisibleProject('r'),
    ),
  })
  const project = onlyProject === undefined ? undefined : compared('t.project_id', '=', onlyProject)
  const { atMs } = filters.asked!
  return [
    ofQueue(''),
    ofQueue(filters.asked!.userId ?? nobody),
    {
      ...ofTasks(project, labelled, rest),
      table: dueTasks(dialect),
      tableParams: [tenantId, atMs, atMs, atMs],
      joinsTasksOf: 'due',
    },
  ]
}

const sourceText = (
  { table, joinsTasksOf, columns, conditions }: Source,
  dialect: Dialect,
  isAfter: boolean,
): string => {
  const [, ...position] = columns
  const key = { tenant_id: ':tenant', id: `${joinsTasksOf}.task_id` }
  const task = joinsTasksOf === null ? '' : ` ${dialect.joinByKey('tasks', 't', key)}`
  const where = conditions.map(({ text }) => text(dialect)).join(' and ')
  // A cast beyond the first value would keep SQLite from seeking by more than the first.
  const from = isAfter ? ` and (${position.join(', ')}) > (cast(? as bigint), ?, ?, ?, ?)` : ''
  return `select * from (select ${columns[0]} as id,
      ${position.map((column, at) => `${column} as ${names[at]}`).join(', ')}
    from ${table}${task} where ${where}${from} order by ${position.join(', ')} limit cast(? as bigint)) source`
}

const pageStatement = (sources: readonly Source[], dialect: Dialect, form: TaskForm, isAfter: boolean): string => {
  const text = sources.map((source) => sourceText(source, dialect, isAfter)).join(' union all ')
  const task = dialect.joinByKey('tasks', 't', { tenant_id: ':tenant', id: 'e.id' })
  const ordered = names.map((name) => `e.${name}`).join(', ')
  return `with entries as materialized (${text})
    select
      (select ${dialect.joined('json', ',')} from
        (select ${jsonOfForm[form]} as json from (select * from entries ${inOrder} limit cast(? as bigint) offset ?) e ${task}
         order by ${ordered}) page) as tasks,
      (select ${dialect.joined('position', ',')} from
        (select '[' || urgency || ',' || due_at || ',' || rank || ',"' || project_id || '",' || number || ']' as position
         from entries ${inOrder} limit 2 offset ?) ends) as positions,
      ${isAfter ? 'null' : '(select count(*) from entries)'} as total`
}

/** A page of what the caller could claim, in the order of `next`; its total is null after a position. */
export const selectReadyPage = (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
  range: ReadyRange,
  form: TaskForm,
): Awaitable<FoundPage<ReadyPosition>> => {
  const isAfter = 'after' in range
  const { limit } = range
  const [after, offset] = isAfter ? [range.after, 0] : [[], range.offset]
  const count = isAfter ? limit + 1 : Math.max(offset + limit, cappedTotal) + 1
  const sources = sourcesOf(tenantId, filters, db.dialect)
  const name = sources.flatMap(({ table, conditions }) => [table, ...conditions.map((each) => each.name)]).join(' ')
  const text = db.statementText(`ready ${form}s ${isAfter ? 'after' : 'from the start'} ${name}`, () =>
    pageStatement(sources, db.dialect, form, isAfter),
  )
  const params = sources.flatMap(({ tableParams = [], conditions }): Value[] => [
    ...tableParams,
    ...conditions.flatMap(({ params }) => params.map((param) => (isList(param) ? db.dialect.listOf(param) : param))),
    ...after,
    count,
  ])
  const row = db.get<PageRow>(text, [...params, limit, offset, offset + limit - 1])
  return andThen(row, (read) => pageFrom<ReadyPosition>(read!))
}
