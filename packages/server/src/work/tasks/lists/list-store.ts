import { type Awaitable, andThen } from '../../../base/awaitable.js'
import type { Dialect } from '../../../db/dialect.js'
import type { Sql, Value } from '../../../db/port.js'
import { isVisibleProject, listedOfVisibleProject } from '../../../db/project-conditions.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import type { Sort } from '../schema.js'
import {
  columnOfSort,
  maxSorted,
  type NarrowAccess,
  narrowAccess,
  narrowIds,
  type OrderedAccess,
  orderedAccess,
} from './access-store.js'
import { allOf, type Condition, compared, fixed, valuesOf } from './condition-store.js'
import type { TaskFilters } from './filters.js'
import { foldedCondition } from './folded-store.js'
import { cappedTotal, type FoundPage, type Position, type RowForm } from './page.js'
import { countSlices, readSlices, rowsPerSlice, type SlicedScan, sliceWhile } from './slice-store.js'

/** Texts joined by commas; null if there are none. */
interface PageRow {
  tasks: string | null
  positions: string | null
  total: number | null
}

/** A page that ends at or before this row is planned as reading few tasks, including the task after the page. */
const maxPlannedRows = 200

/** A part of the tasks in list order. */
interface Scan {
  /** Scans with the same name differ only in their parameters. */
  name: string
  /** Conditions that an index serves. */
  range: readonly Condition[]
  /** Conditions that are checked task by task. */
  filters: readonly Condition[]
  isByEntries: boolean
  /** Whether the range has few tasks. They are read first, whichever index is in list order. */
  isNarrow: boolean
  /** The table that is scanned, with the task `t` of each entry. */
  from(dialect: Dialect): string
  sortValue: string
  projectId: string
  number: string
  direction: 'asc' | 'desc'
  /** Whether the order is by project first. */
  isByProject: boolean
}

/** Hides the tasks of projects that are being deleted. A list of one project checks that project once. */
const visibility = (range: readonly Condition[], table: 't' | 'l'): Condition => {
  const ofProject = range.find(({ name }) => name === 't.project_id=')
  return ofProject
    ? { name: 'visible project', text: () => isVisibleProject('?'), params: ofProject.params }
    : fixed(listedOfVisibleProject(table))
}

const scanOf = (tenantId: string, access: OrderedAccess | NarrowAccess, sort: Sort): Scan => {
  const { conditions, rest } = access
  const isByEntries = 'isByEntries' in access && access.isByEntries
  const narrow = 'isCounted' in access ? access : undefined
  const w = isByEntries ? 'l' : 't'
  const range = [compared(`${w}.tenant_id`, '=', tenantId), ...conditions]
  const folded = foldedCondition(rest)
  const filters = [...(folded ? [folded] : []), visibility(conditions, w)]
  return {
    name: `${sort}${narrow ? ' narrow' : ''} ${[...range, ...filters].map(({ name }) => name).join(' ')}`,
    ...{ range, filters, isByEntries, isNarrow: narrow !== undefined },
    from: (dialect) => {
      const byId = (id: string): string => dialect.joinByKey('tasks', 't', { tenant_id: ':tenant', id })
      if (isByEntries) return `task_labels l ${byId('l.task_id')}`
      // Otherwise SQLite would scan all tasks in list order instead of sorting a few.
      return narrow ? `${narrowIds(dialect, narrow, range)} ${byId('few.id')}` : 'tasks t'
    },
    sortValue: isByEntries ? 'l.created_at' : columnOfSort[sort],
    projectId: `${w}.project_id`,
    number: `${w}.number`,
    direction: sort.startsWith('-') ? 'desc' : 'asc',
    isByProject: sort.endsWith('rank'),
  }
}

/** The conditions of a scan, in the order of their parameters. */
const conditionsOf = ({ range, filters }: Scan): Condition[] => [...range, ...filters]

/** The conditions that `from` leaves to be checked. */
const whereOf = (dialect: Dialect, scan: Scan): string =>
  allOf(dialect, scan.isNarrow ? scan.filters : conditionsOf(scan))

/** The tasks, the positions and the count in one statement: the store joins the texts far faster than rows are read. */
const pageStatement = (dialect: Dialect, scan: Scan, form: RowForm, isAfter: boolean, isShort: boolean): string => {
  const { sortValue, projectId, number, direction, isByProject } = scan
  const tasks = scan.from(dialect)
  // An entry of a label has all that is needed to count it.
  const entries = scan.isByEntries ? 'task_labels l' : tasks
  const where = whereOf(dialect, scan)
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
  const page = inRange(`select ${form.text(dialect)} as json from ${tasks} where ${where}${from}`)
  const ends = inRange(`select ${sortValue} as value, ${projectId} as project, ${number} as number
    from ${entries} where ${where}${from}`)
  const position = `'[' || value || ',"' || project || '",' || number || ']'`
  return `select
    (select ${dialect.joined('json', ',')} from (${page}) page) as tasks,
    (select ${dialect.joined(position, ',')} from (${ends}) ends) as positions,
    ${isAfter ? 'null' : `(select count(*) from (${matching}) matching)`} as total`
}

/** A position in the order of a list. */
const startOf = ({ isByProject }: Scan, [sortValue, projectId, number]: Position): Value[] =>
  isByProject ? [projectId, sortValue, number] : [sortValue, projectId, number]

/** A page by its offset, or from the task after a position on; its total is null in the latter case. */
export type PageRange = { limit: number; offset: number } | { limit: number; after: Position }

/** Reads a page by one statement, for scans that an index serves and for those of few tasks. */
const readAtOnce = (db: Sql, scan: Scan, range: PageRange, form: RowForm): Awaitable<FoundPage> => {
  const isAfter = 'after' in range
  const { limit } = range
  const [start, offset] = isAfter ? [startOf(scan, range.after), 0] : [[], range.offset]
  const params = valuesOf(db.dialect, conditionsOf(scan))
  const isShort = offset + limit <= maxPlannedRows
  const text = db.statementText(
    `${isShort ? 'short' : 'any'} ${form.name} ${isAfter ? 'after' : 'from the start'} ${scan.name}`,
    () => pageStatement(db.dialect, scan, form, isAfter, isShort),
  )
  const row = db.get<PageRow>(text, [
    ...[...valuesOf(db.dialect, [form]), ...params, ...start, limit, offset],
    ...[...params, ...start, 2, offset + limit - 1],
    ...(isAfter ? [] : params),
  ])
  return andThen(row, (read) => {
    const { tasks, positions, total } = read!
    return { tasks: `[${tasks ?? ''}]`, positions: JSON.parse(`[${positions ?? ''}]`) as Position[], total }
  })
}

const beforeAll: Position = [Number.MIN_SAFE_INTEGER, '', -1]
const afterAll: Position = [Number.MAX_SAFE_INTEGER, '\u{10ffff}', Number.MAX_SAFE_INTEGER]

const slicedScan = ({ dialect }: Sql, scan: Scan, filters: TaskFilters): SlicedScan<Position> => {
  const { sortValue, projectId, number, direction, isByProject, isByEntries } = scan
  const comparison = direction === 'asc' ? '>' : '<'
  const order = isByProject ? [projectId, sortValue, number] : [sortValue, projectId, number]
  const place = isByProject ? '(?, ?, ?)' : '(cast(? as bigint), ?, ?)'
  const rows = rowsPerSlice(filters)
  return {
    name: scan.name,
    rows,
    columns: ['value', 'project_id', 'number'],
    order: isByProject ? ['project_id', 'value', 'number'] : ['value', 'project_id', 'number'],
    direction,
    start: direction === 'asc' ? beforeAll : afterAll,
    batch: () => `select ${isByEntries ? 'l.task_id' : 't.id'} as id, t.status as category, ${sortValue} as value,
        ${projectId} as project_id, ${number} as number,
        case when ${allOf(dialect, scan.filters)} then 1 else 0 end as matches
      from ${scan.from(dialect)} where ${allOf(dialect, scan.range)} and (${order.join(', ')}) ${comparison} ${place}
      order by ${order.map((column) => `${column} ${direction}`).join(', ')} limit ${rows}`,
    params: (after) => [...valuesOf(dialect, scan.filters), ...valuesOf(dialect, scan.range), ...startOf(scan, after)],
  }
}

/** Whether the conditions leave few tasks, which one statement can sort. */
export const areFew = (db: Sql, tenantId: string, narrow: NarrowAccess): Awaitable<boolean> => {
  if (!narrow.isCounted) return true
  const all = [compared('t.tenant_id', '=', tenantId), ...narrow.conditions]
  const text = db.statementText(
    `few ${all.map(({ name }) => name).join(' ')}`,
    () => `select count(*) as found from ${narrowIds(db.dialect, narrow, all, maxSorted + 1)}`,
  )
  return andThen(db.get<{ found: number }>(text, valuesOf(db.dialect, all)), (row) => row!.found <= maxSorted)
}

/** Whether a list reads more tasks than it returns, because it has filters that no index serves. */
const isSelective = (scan: Scan): boolean => scan.filters.length > 1

export const selectPage = (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
  sort: Sort,
  range: PageRange,
  form: RowForm,
): Awaitable<FoundPage> => {
  const access = orderedAccess(filters, sort)
  const ordered = scanOf(tenantId, access, sort)
  if (!isSelective(ordered)) return readAtOnce(db, ordered, range, form)
  const narrow = narrowAccess(filters, sort)
  return andThen(narrow ? areFew(db, tenantId, narrow) : false, (few) =>
    few
      ? readAtOnce(db, scanOf(tenantId, narrow!, sort), range, form)
      : readSlices(db, slicedScan(db, ordered, filters), range, form),
  )
}

/** Returns which of the given tasks match. */
export const listMatching = async (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
  ids: readonly string[],
): Promise<Set<string>> => {
  const scan = scanOf(tenantId, { conditions: [], rest: filters, isByEntries: false }, 'createdAt')
  const text = db.statementText(
    `matching tasks ${scan.name}`,
    () =>
      `select t.id from tasks t where ${db.dialect.isAmong('t.id', 'text')} and ${allOf(db.dialect, conditionsOf(scan))}`,
  )
  const found = new Set<string>()
  const perSlice = rowsPerSlice(filters)
  await sliceWhile((slice) => {
    const some = ids.slice(slice * perSlice, (slice + 1) * perSlice)
    if (some.length === 0) return false
    const params = [db.dialect.listOf(some), ...valuesOf(db.dialect, conditionsOf(scan))]
    return andThen(db.all<{ id: string }>(text, params), (rows) => {
      for (const { id } of rows) found.add(id)
      return some.length === perSlice
    })
  })
  return found
}

/** Conditions whose index is ordered by category, so that SQLite counts along the index. */
const isCountedByIndex: ReadonlySet<string> = new Set([
  't.tenant_id=',
  't.project_id=',
  't.status=',
  't.custom_status=',
])

/** How many match, for each category that some have. */
export const countByCategory = async (
  db: Sql,
  tenantId: string,
  filters: TaskFilters,
): Promise<{ category: Category; count: number }[]> => {
  const access = orderedAccess(filters, 'createdAt')
  const scan = scanOf(tenantId, access, 'createdAt')
  if (isSelective(scan) || !scan.range.every(({ name }) => isCountedByIndex.has(name)))
    return countSlices(db, slicedScan(db, scan, filters))
  const text = db.statementText(
    `tasks by status ${scan.name}`,
    () => `select t.status as category, count(*) as count from ${scan.from(db.dialect)}
      where ${allOf(db.dialect, conditionsOf(scan))} group by t.status`,
  )
  return db.all(text, valuesOf(db.dialect, conditionsOf(scan)))
}

export const countTasks = async (db: Sql, tenantId: string, filters: TaskFilters): Promise<number> => {
  const counts = await countByCategory(db, tenantId, filters)
  return counts.reduce((sum, { count }) => sum + count, 0)
}
