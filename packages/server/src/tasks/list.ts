import type { Call } from '../call.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../paging.js'
import { type Condition, filterConditions, resolveFilters } from './filters.js'
import type { Sort, TaskListQuery } from './schema.js'
import { taskJson, withAssignee } from './store.js'

export interface TaskPageInfo {
  page?: number
  limit: number
  total?: number
  totalIsCapped?: true
  totalPages?: number
  hasMore: boolean
  nextCursor: string | null
}

export interface TaskPage {
  /** The tasks as JSON, one text each. */
  tasks: string[]
  pagination: TaskPageInfo
}

interface ListedRow {
  json: string
  sort_value: number
  project_id: string
  number: number
}

const cappedTotal = 1_000
/** Beyond every time, so that tasks without a due date come last in either direction. */
const never = 9007199254740991

const orders: Record<Sort, { by: string; direction: 'asc' | 'desc' }> = {
  createdAt: { by: 't.created_at', direction: 'asc' },
  '-createdAt': { by: 't.created_at', direction: 'desc' },
  updatedAt: { by: 't.updated_at', direction: 'asc' },
  '-updatedAt': { by: 't.updated_at', direction: 'desc' },
  priority: { by: 't.priority', direction: 'asc' },
  '-priority': { by: 't.priority', direction: 'desc' },
  dueDate: { by: `coalesce(t.due_at, ${never})`, direction: 'asc' },
  '-dueDate': { by: `coalesce(t.due_at, -${never})`, direction: 'desc' },
}

const countTasks = async (call: Call, where: Condition, isExact: boolean): Promise<number> => {
  const matching = `select 1 as one from tasks t where ${where.text}`
  const bounded = isExact ? matching : `${matching} limit ${cappedTotal + 1}`
  const row = await call.db.get<{ total: number }>(`select count(*) as total from (${bounded}) matching`, where.params)
  return row?.total ?? 0
}

export const listTasks = async (call: Call, query: TaskListQuery): Promise<TaskPage> => {
  const { tenantId } = call.actor
  const { limit = 50, sort = '-createdAt', cursor } = query
  const filters = await resolveFilters(call, query)
  const fingerprint = listFingerprint([tenantId, 'tasks', sort, filters])
  const where = filterConditions(tenantId, filters)
  const { by, direction } = orders[sort]

  const after =
    cursor === undefined
      ? undefined
      : decodeCursor<[number, string, number]>(cursor, fingerprint, ['integer', 'text', 'integer'])
  const comparison = direction === 'asc' ? '>' : '<'
  // Without the cast a place beyond a narrow column's range is an error of PostgreSQL instead of the end of the list.
  const from = after ? ` and (${by}, t.project_id, t.number) ${comparison} (cast(? as bigint), ?, ?)` : ''
  const page = query.page ?? 1
  const rows = await call.db.all<ListedRow>(
    `select ${taskJson} as json, ${by} as sort_value, t.project_id, t.number from tasks t ${withAssignee}
     where ${where.text}${from}
     order by ${by} ${direction}, t.project_id ${direction}, t.number ${direction} limit ? offset ?`,
    [...where.params, ...(after ?? []), limit + 1, after ? 0 : (page - 1) * limit],
  )

  const hasMore = rows.length > limit
  if (hasMore) rows.length = limit
  const last = rows.at(-1)
  const pagination: TaskPageInfo = {
    limit,
    hasMore,
    nextCursor: hasMore && last ? encodeCursor(fingerprint, [last.sort_value, last.project_id, last.number]) : null,
  }
  const tasks = rows.map(({ json }) => json)
  if (after) return { tasks, pagination }

  const isExact = query.total === 'exact'
  const counted = await countTasks(call, where, isExact)
  const isCapped = !isExact && counted > cappedTotal
  const total = isCapped ? cappedTotal : counted
  return {
    tasks,
    pagination: {
      page,
      limit,
      total,
      ...(isCapped && { totalIsCapped: true }),
      totalPages: Math.ceil(total / limit),
      hasMore,
      nextCursor: pagination.nextCursor,
    },
  }
}
