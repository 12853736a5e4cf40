import { type Awaitable, andThen } from '../../../base/awaitable.js'
import { invalid } from '../../../base/errors.js'
import type { Json } from '../../../base/json.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../../../base/paging.js'
import { onlyProjectOf } from '../../../base/project-set.js'
import type { Call } from '../../../operations/call.js'
import { withVisibleMarks } from '../../fields/stale-marks.js'
import { perCategory } from '../fields.js'
import { nextDueMs } from '../queue/claim-store.js'
import { rankNow } from '../rank/rank.js'
import type { Sort, Task, TaskCard, TaskCounts, TaskList } from '../schema.js'
import { resolveFilters, type TaskFilterInput, type TaskFilters } from './filters.js'
import { countByCategory, countTasks, type PageRange, selectPage } from './list-store.js'
import { cappedTotal, type FoundPage, type Position, rowFormOf, type TaskForm } from './page.js'
import { type ReadyPosition, type ReadyRange, selectReadyPage } from './ready-list-store.js'

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

/** By a field, or as `next` hands them out. */
type Order = Sort | 'next'

const defaultOrder = ({ ready }: TaskFilters): Order => (ready ? 'next' : '-createdAt')

/** Where a cursor continues: after the task with these values in the order of the list, which end with its id. */
const positionKinds = (order: Order): ('integer' | 'text')[] => [
  ...Array<'integer'>(order === 'next' ? 3 : 1).fill('integer'),
  ...(['text', 'integer'] as const),
]

/** Cursors of a list of one project leave the project out. */
interface Cursors {
  encode(position: Position | ReadyPosition): string
  decode(cursor: string): Position | ReadyPosition
}

const cursorsOf = ({ actor }: Call, { asker, ...filters }: TaskFilters, order: Order): Cursors => {
  const ofUser = filters.ready === undefined ? [] : [asker.userId]
  const fingerprint = listFingerprint([actor.tenantId, 'tasks', order, filters, ...ofUser])
  const onlyProject = onlyProjectOf(filters.projectId ?? null)
  const kinds = positionKinds(order)
  const sent = onlyProject === undefined ? kinds : kinds.filter((kind) => kind === 'integer')
  return {
    encode: (position) => encodeCursor(fingerprint, sent === kinds ? position : position.filter(Number.isInteger)),
    decode: (cursor) => {
      const values = decodeCursor<(string | number)[]>(cursor, fingerprint, sent)
      return (onlyProject === undefined ? values : values.toSpliced(-1, 0, onlyProject)) as Position
    },
  }
}

const pageOf = <T>(found: FoundPage<Position | ReadyPosition>, query: PageRequest, cursors: Cursors): TaskPage<T> => {
  const { limit, page = 1 } = query
  const [last, next] = found.positions
  const tasks = found.tasks as Json<T[]>
  const more = { hasMore: next !== undefined, nextCursor: last && next ? cursors.encode(last) : null }
  if (found.total === null) return { tasks, pagination: { limit, ...more } }

  const isCapped = query.total !== 'exact' && found.total > cappedTotal
  const total = isCapped ? cappedTotal : found.total
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

/** Tasks make room for others by rank, and a list goes on after the same one. */
const placeNow = (call: Call, order: Order, place: Position | ReadyPosition): Awaitable<Position | ReadyPosition> => {
  if (order !== 'rank' && order !== '-rank') return place
  const [, projectId, number] = place as Position
  return andThen(rankNow(call, place as Position), (rank) => [rank, projectId, number])
}

const readPage = <T>(call: Call, query: PageRequest, filters: TaskFilters, form: TaskForm): Awaitable<TaskPage<T>> => {
  const { db, actor } = call
  const { limit, sort: order = defaultOrder(filters), page = 1, cursor } = query
  const cursors = cursorsOf(call, filters, order)
  const rowForm = rowFormOf(form, filters.asker)
  const after = cursor === undefined ? undefined : placeNow(call, order, cursors.decode(cursor))
  const found = andThen(after, (after): Awaitable<FoundPage<Position | ReadyPosition>> => {
    const range = after ? { after, limit } : { offset: (page - 1) * limit, limit }
    return order === 'next'
      ? selectReadyPage(db, actor.tenantId, filters, range as ReadyRange, rowForm)
      : selectPage(db, actor.tenantId, filters, order, range as PageRange, rowForm)
  })
  return andThen(found, (read) =>
    query.total === 'exact' && read.total !== null && read.total > cappedTotal
      ? countTasks(db, actor.tenantId, filters).then((total) => pageOf({ ...read, total }, query, cursors))
      : pageOf(read, query, cursors),
  )
}

const list = <T>(call: Call, query: TaskList, form: TaskForm): Awaitable<TaskPage<T>> => {
  const { limit = defaultLimits[form] } = query
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalid({ path: 'page', message: 'cannot be combined with cursor' })
  }
  if (query.cursor !== undefined && query.total !== undefined) {
    throw invalid({ path: 'total', message: 'cannot be combined with cursor' })
  }
  return andThen(resolveFilters(call, query, form === 'card'), (filters) =>
    andThen(readPage<T>(call, { ...query, limit }, filters, form), ({ tasks, pagination }) => ({
      tasks: withVisibleMarks(call.actor, tasks),
      pagination,
    })),
  )
}

export const listTasks = (call: Call, query: TaskList): Awaitable<TaskPage> => list(call, query, 'task')

interface CardPage extends TaskPage<TaskCard> {
  /** When the readiness of a task may change without a commit; undefined if it cannot. */
  changesAt: number | undefined
}

/** Lists tasks without their long fields, but with their open blockers and whether they are ready. */
export const listCards = (call: Call, query: TaskList): Awaitable<CardPage> =>
  andThen(list<TaskCard>(call, query, 'card'), (page) =>
    andThen(nextDueMs(call.db, call.actor.tenantId), (dueMs) => ({ ...page, changesAt: dueMs ?? undefined })),
  )

/** How many tasks there are with a status of each category. */
export const countTasksByCategory = async (call: Call, query: TaskFilterInput): Promise<TaskCounts> => {
  const filters = await resolveFilters(call, query)
  const counts = { ...perCategory(0), total: 0 }
  for (const { category, count } of await countByCategory(call.db, call.actor.tenantId, filters)) {
    counts[category] = count
    counts.total += count
  }
  return counts
}
