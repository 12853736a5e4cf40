import { type Awaitable, andThen } from '../../../base/awaitable.js'
import type { Json } from '../../../base/json.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Sql, Value } from '../../../db/port.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import { cardJson, taskJson } from '../json-store.js'
import type { Sort } from '../schema.js'
import type { TaskFilters } from './filters.js'
import { type KeysetScan, keysetScan } from './keyset-store.js'

export type Position = [sortValue: number, projectId: string, number: number]

/** Texts joined by commas; null where there are none. */
export interface PageRow {
  tasks: string | null
  positions: string | null
  total: number | null
}

export interface FoundPage<P = Position> {
  tasks: Json<object[]>
  /** The positions of the page's last task and of the one after it. */
  positions: P[]
  total: number | null
}

export const pageFrom = <P>({ tasks, positions, total }: PageRow): FoundPage<P> => ({
  tasks: `[${tasks ?? ''}]`,
  positions: JSON.parse(`[${positions ?? ''}]`) as P[],
  total,
})

/** A task whole, or as its card. */
export type TaskForm = 'task' | 'card'

export const jsonOfForm: Readonly<Record<TaskForm, string>> = { task: taskJson, card: cardJson }

/** Counting stops here, unless an exact count is asked for. */
export const cappedTotal = 1_000

/** A page that ends here or earlier, and the task after it, is planned as one of few tasks. */
const maxPlannedRows = 200

/** The tasks, the positions and the count in one statement: the store joins the texts far faster than rows are read. */
const pageStatement = (
  dialect: Dialect,
  scan: KeysetScan,
  form: TaskForm,
  isAfter: boolean,
  isShort: boolean,
): string => {
  const { sortValue, projectId, number, direction, isByProject } = scan
  const entries = scan.entries(dialect)
  const tasks = scan.tasks(dialect)
  const where = scan.where(dialect)
  const comparison = direction === 'asc' ? '>' : '<'
  // Without the cast a place beyond a narrow column's range is an error of PostgreSQL instead of the end of the list.
  const [first, second, place] = isByProject
    ? [projectId, sortValue, '(?, ?, ?)']
    : [sortValue, projectId, '(cast(? as bigint), ?, ?)']
  const from = isAfter ? ` and (${first}, ${second}, ${number}) ${comparison} ${place}` : ''
  const order = `order by ${first} ${direction}, ${second} ${direction}, ${number} ${direction}`
  const inRange = (query: string): string => {
    const ordered = `${query} ${order}`
    return `${isShort ? dialect.atMost(ordered, maxPlannedRows + 1) : ordered} limit cast(? as bigint) offset ?`
  }
  // By what the page is sorted by, so that the same index is scanned.
  const matching = `select 1 as one from ${entries} where ${where} order by ${first} ${direction}
    limit ${cappedTotal + 1}`
  const page = inRange(`select ${jsonOfForm[form]} as json from ${tasks} where ${where}${from}`)
  const ends = inRange(`select ${sortValue} as value, ${projectId} as project, ${number} as number
    from ${entries} where ${where}${from}`)
  const position = `'[' || value || ',"' || project || '",' || number || ']'`
  return `select
    (select ${dialect.joined('json', ',')} from (${page}) page) as tasks,
    (select ${dialect.joined(position, ',')} from (${ends}) ends) as positions,
    ${isAfter ? 'null' : `(select count(*) from (${matching}) matching)`} as total`
}

/** A position in the order of a list. */
const startOf = ({ isByProject }: KeysetScan, [sortValue, projectId, number]: Position): Value[] =>
  isByProject ? [projectId, sortValue, number] : [sortValue, projectId, number]

/** A page by its offset, or from the task after a position on; its total is null in the latter case. */
export type PageRange = { limit: number; offset: number } | { limit: number; after: Position }

export const selectPage = (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
  sort: Sort,
  range: PageRange,
  form: TaskForm,
): Awaitable<FoundPage> => {
  const scan = keysetScan(tenantId, filters, sort)
  const isAfter = 'after' in range
  const { limit } = range
  const [start, offset] = isAfter ? [startOf(scan, range.after), 0] : [[], range.offset]
  const params = scan.params(db.dialect)
  // Building the same text again and looking it up costs more than a small read.
  const isShort = offset + limit <= maxPlannedRows
  const text = db.statementText(
    `${isShort ? 'short' : 'any'} ${form}s ${isAfter ? 'after' : 'from the start'} ${scan.name}`,
    () => pageStatement(db.dialect, scan, form, isAfter, isShort),
  )
  const row = db.get<PageRow>(text, [
    ...[...params, ...start, limit, offset],
    ...[...params, ...start, 2, offset + limit - 1],
    ...(isAfter ? [] : params),
  ])
  return andThen(row, (read) => pageFrom<Position>(read!))
}

/** Which of the tasks match. */
export const listMatching = async (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
  ids: readonly string[],
): Promise<Set<string>> => {
  const scan = keysetScan(tenantId, filters, 'createdAt')
  const text = db.statementText(
    `matching tasks ${scan.name}`,
    () =>
      `select t.id from ${scan.tasks(db.dialect)} where ${db.dialect.isAmong('t.id', 'text')} and ${scan.where(db.dialect)}`,
  )
  const rows = await db.all<{ id: string }>(text, [db.dialect.listOf(ids), ...scan.params(db.dialect)])
  return new Set(rows.map(({ id }) => id))
}

/** All that match, in any order. */
export const countTasks = async (db: Sql, tenantId: string, filters: TaskFilters): Promise<number> => {
  const scan = keysetScan(tenantId, filters, 'createdAt')
  const text = db.statementText(
    `count of tasks ${scan.name}`,
    () => `select count(*) as total from ${scan.entries(db.dialect)} where ${scan.where(db.dialect)}`,
  )
  return (await db.get<{ total: number }>(text, scan.params(db.dialect)))!.total
}

/** How many match, for each category that some have. */
export const countByCategory = async (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
): Promise<{ category: Category; count: number }[]> => {
  const scan = keysetScan(tenantId, filters, 'createdAt')
  const text = db.statementText(
    `tasks by status ${scan.name}`,
    () =>
      `select t.status as category, count(*) as count from ${scan.tasks(db.dialect)} where ${scan.where(db.dialect)} group by t.status`,
  )
  return db.all(text, scan.params(db.dialect))
}
