import { type Awaitable, andThen } from '../awaitable.js'
import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import type { Json } from '../json.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../paging.js'
import { resolveFilters, type TaskFilters } from './filters.js'
import {
  cappedTotal,
  countByStatus,
  countTasks,
  type PageRow,
  type Position,
  selectPage,
  type TaskForm,
} from './list-store.js'
import type { Task, TaskCard, TaskCounts, TaskFilterInput, TaskList } from './schema.js'

export interface TaskPageInfo {
  page?: number
  limit: number
  total?: number
  totalIsCapped?: true
  totalPages?: number
  hasMore: boolean
  nextCursor: string | null
}

type PageRequest = TaskList & { limit: number }

export interface TaskPage<T = Task> {
  tasks: Json<T[]>
  pagination: TaskPageInfo
}

const defaultLimits: Readonly<Record<TaskForm, number>> = { task: 50, card: 200 }

const pageOf = <T>(row: PageRow, query: PageRequest, fingerprint: string): TaskPage<T> => {
  const { limit, page = 1 } = query
  const [last, next] = JSON.parse(`[${row.positions ?? ''}]`) as Position[]
  const tasks: Json<T[]> = `[${row.tasks ?? ''}]`
  const more = { hasMore: next !== undefined, nextCursor: last && next ? encodeCursor(fingerprint, last) : null }
  if (row.total === null) return { tasks, pagination: { limit, ...more } }

  const isCapped = query.total !== 'exact' && row.total > cappedTotal
  const total = isCapped ? cappedTotal : row.total
  return {
    tasks,
    pagination: {
      page,
      limit,
      total,
      ...(isCapped && { totalIsCapped: true }),
      totalPages: Math.ceil(total / limit),
      ...more,
    },
  }
}

const readPage = <T>(call: Call, query: PageRequest, filters: TaskFilters, form: TaskForm): Awaitable<TaskPage<T>> => {
  const { db, actor } = call
  const { limit, sort = '-createdAt', page = 1, cursor } = query
  const { asked, ...stable } = filters
  const fingerprint = listFingerprint([actor.tenantId, 'tasks', sort, stable, ...(asked ? [asked.userId] : [])])
  const after =
    cursor === undefined ? undefined : decodeCursor<Position>(cursor, fingerprint, ['integer', 'text', 'integer'])
  const range = after ? { after, limit } : { offset: (page - 1) * limit, limit }
  const row = selectPage(db, actor.tenantId, filters, sort, range, form)
  return andThen(row, (read) =>
    query.total === 'exact' && read.total !== null && read.total > cappedTotal
      ? andThen(countTasks(db, actor.tenantId, filters), (total) => pageOf({ ...read, total }, query, fingerprint))
      : pageOf(read, query, fingerprint),
  )
}

const list = <T>(call: Call, query: TaskList, form: TaskForm): Awaitable<TaskPage<T>> => {
  const { limit = defaultLimits[form] } = query
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalid({ path: 'page', message: 'cannot be combined with cursor' })
  }
  return andThen(resolveFilters(call, query), (filters) => readPage(call, { ...query, limit }, filters, form))
}

export const listTasks = (call: Call, query: TaskList): Awaitable<TaskPage> => list(call, query, 'task')

/** The same without the long fields of the tasks. */
export const listCards = (call: Call, query: TaskList): Awaitable<TaskPage<TaskCard>> => list(call, query, 'card')

/** How many tasks there are with each status. */
export const countTasksByStatus = (call: Call, query: TaskFilterInput): Awaitable<TaskCounts> =>
  andThen(resolveFilters(call, query), (filters) =>
    andThen(countByStatus(call.db, call.actor.tenantId, filters), (rows) => {
      const counts = { todo: 0, in_progress: 0, in_review: 0, done: 0, cancelled: 0, total: 0 }
      for (const { status, count } of rows) {
        counts[status] = count
        counts.total += count
      }
      return counts
    }),
  )
