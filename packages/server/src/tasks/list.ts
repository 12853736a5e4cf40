import { type Awaitable, andThen } from '../awaitable.js'
import type { Call } from '../call.js'
import type { Dialect } from '../db/dialect.js'
import { invalid } from '../errors.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../paging.js'
import { resolveFilters, type TaskFilters } from './filters.js'
import type { Sort, TaskListQuery } from './schema.js'
import { taskJson, withAssignee } from './store.js'
import { type Walk, walkOver } from './walk.js'

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
  /** The tasks as JSON, with a comma between them. */
  tasks: string
  pagination: TaskPageInfo
}

type Position = [sortValue: number, projectId: string, number: number]

interface PageRow {
  tasks: string | null
  /** The positions of the page's last task and of the one after it. */
  positions: string | null
  total: number | null
}

type Count = 'none' | 'capped' | 'exact'

const defaultLimit = 50
const cappedTotal = 1_000
const maxStatements = 500

/** The tasks, the positions and the count in one statement: the store joins the texts far faster than rows are read. */
const pageStatement = (dialect: Dialect, walk: Walk, isAfter: boolean, count: Count): string => {
  const { entries, tasks, where, sortValue, projectId, number, direction } = walk
  const comparison = direction === 'asc' ? '>' : '<'
  // Without the cast a place beyond a narrow column's range is an error of PostgreSQL instead of the end of the list.
  const from = isAfter ? ` and (${sortValue}, ${projectId}, ${number}) ${comparison} (cast(? as bigint), ?, ?)` : ''
  const order = `order by ${sortValue} ${direction}, ${projectId} ${direction}, ${number} ${direction}`
  const inOrder = `${order} limit ? offset ?`
  const matching = `select 1 as one from ${entries} where ${where.text}`
  // In the page's order, so that the same index is walked.
  const counted = count === 'exact' ? matching : `${matching} ${order} limit ${cappedTotal + 1}`
  return `select
    (select ${dialect.joined('json', ',')} from
      (select ${taskJson} as json from ${tasks} ${withAssignee} where ${where.text}${from} ${inOrder}) page) as tasks,
    (select ${dialect.joined('position', ',')} from
      (select '[' || ${sortValue} || ',"' || ${projectId} || '",' || ${number} || ']' as position
       from ${entries} where ${where.text}${from} ${inOrder}) ends) as positions,
    ${count === 'none' ? 'null' : `(select count(*) from (${counted}) matching)`} as total`
}

const statements = new Map<string, string>()

/** A long text that is the same again is made once: to make and to look up an equal one costs more than a small read. */
const rememberedStatement = (dialect: Dialect, walk: Walk, sort: Sort, isAfter: boolean, count: Count): string => {
  const name = `${dialect.name} ${sort} ${isAfter} ${count} ${walk.where.text}`
  let statement = statements.get(name)
  if (statement === undefined) {
    statement = pageStatement(dialect, walk, isAfter, count)
    // Conditions have as many shapes as they have values.
    if (statements.size >= maxStatements) statements.clear()
    statements.set(name, statement)
  }
  return statement
}

const pageOf = (row: PageRow, query: TaskListQuery, count: Count, fingerprint: string): TaskPage => {
  const { limit = defaultLimit, page = 1 } = query
  const [last, next] = JSON.parse(`[${row.positions ?? ''}]`) as Position[]
  const tasks = row.tasks ?? ''
  const more = { hasMore: next !== undefined, nextCursor: last && next ? encodeCursor(fingerprint, last) : null }
  if (row.total === null) return { tasks, pagination: { limit, ...more } }

  const isCapped = count === 'capped' && row.total > cappedTotal
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

const readPage = (call: Call, query: TaskListQuery, filters: TaskFilters): Awaitable<TaskPage> => {
  const { db, actor } = call
  const { limit = defaultLimit, sort = '-createdAt', page = 1, cursor } = query
  const fingerprint = listFingerprint([actor.tenantId, 'tasks', sort, filters])
  const walk = walkOver(actor.tenantId, filters, sort)
  const after =
    cursor === undefined ? undefined : decodeCursor<Position>(cursor, fingerprint, ['integer', 'text', 'integer'])

  const count = after ? 'none' : query.total === 'exact' ? 'exact' : 'capped'
  const offset = after ? 0 : (page - 1) * limit
  const { params } = walk.where
  const start = after ?? []
  const row = db.get<PageRow>(rememberedStatement(db.dialect, walk, sort, after !== undefined, count), [
    ...[...params, ...start, limit, offset],
    ...[...params, ...start, 2, offset + limit - 1],
    ...(count === 'none' ? [] : params),
  ])
  return andThen(row, (read) => pageOf(read!, query, count, fingerprint))
}

export const listTasks = (call: Call, query: TaskListQuery): Awaitable<TaskPage> => {
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalid({ path: 'page', message: 'cannot stand together with cursor, which says already where to go on' })
  }
  return andThen(resolveFilters(call, query), (filters) => readPage(call, query, filters))
}
