import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Awaitable, andThen, isPromise } from '../../../base/awaitable.js'
import type { Sql, Value } from '../../../db/port.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import { valuesOf } from './condition-store.js'
import type { TaskFilters } from './filters.js'
import { cappedTotal, type FoundPage, type RowForm } from './page.js'

/** How many tasks one statement of a selective list checks. */
export const maxRowsPerSlice = 500
/** How many tasks one statement checks for reserved resources: each task may need fifty resources. */
export const maxReservedRowsPerSlice = 40

export const rowsPerSlice = ({ ready, asker }: TaskFilters): number =>
  ready !== undefined && asker.areResourcesReserved ? maxReservedRowsPerSlice : maxRowsPerSlice

/** A scan of tasks in list order, with a bounded number of tasks per statement. */
export interface SlicedScan<P> {
  /** Scans with the same name differ only in their parameters. */
  name: string
  rows: number
  /** The columns of a position, in the order of its values. `project_id` is the only text. */
  columns: readonly string[]
  /** The same columns in list order. */
  order: readonly string[]
  direction: 'asc' | 'desc'
  /** The position before the first task. */
  start: P
  /**
   * SQL for the next `rows` tasks after a position, in order: `id`, the columns of the position, and `matches`, which
   * is 1 for tasks that are part of the list. Counting by category also needs `category`.
   */
  batch(): string
  params(after: P): Value[]
}

/** Runs steps until one returns false. Yields to other work between two steps. */
export const sliceWhile = (step: (at: number) => Awaitable<boolean>, at = 0): Awaitable<void> =>
  andThen(step(at), (isMore) => (isMore ? nextTurn().then(() => sliceWhile(step, at + 1)) : undefined))

const positionText = (columns: readonly string[]): string =>
  `'[' || ${columns.map((name) => (name === 'project_id' ? `'"' || project_id || '"'` : name)).join(" || ',' || ")} || ']'`

const orderText = ({ order, direction }: Pick<SlicedScan<unknown>, 'order' | 'direction'>, table = ''): string =>
  `order by ${order.map((name) => `${table}${name} ${direction}`).join(', ')}`

const statement = ({ dialect }: Sql, scan: SlicedScan<never>, form: RowForm): string => {
  const { columns, rows } = scan
  const order = orderText(scan)
  const task = dialect.joinByKey('tasks', 't', { tenant_id: ':tenant', id: 'e.id' })
  const page = `select * from batch where matches = 1 ${order} limit cast(? as bigint) offset ?`
  return `with batch as materialized (${scan.batch()})
    select
      (select count(*) from batch where matches = 1) as matched,
      (select ${dialect.joined('json', ',')} from (select ${form.text(dialect)} as json from (${page}) e ${task}
        ${orderText(scan, 'e.')}) page) as tasks,
      (select ${dialect.joined('position', ',')} from (select ${positionText(columns)} as position from (${page}) ends
        ${order}) ends) as positions,
      (select ${positionText(columns)} from batch ${order} limit 1 offset ${rows - 1}) as last`
}

interface SliceRow {
  matched: number
  /** Texts joined by commas; null if there are none. */
  tasks: string | null
  positions: string | null
  /** The position of the last task, null if the scan has ended. */
  last: string | null
}

/** Returns which matches of one slice are in a range of all matches: how many, and the offset of the first. */
const partOf = (from: number, to: number, before: number): [count: number, offset: number] => {
  const offset = Math.max(0, from - before)
  return [Math.max(0, to - before - offset), offset]
}

/** Reads a page by checking tasks slice by slice until the page is full and its total known. */
export const readSlices = <P>(
  db: Sql,
  scan: SlicedScan<P>,
  range: { limit: number } & ({ offset: number } | { after: P }),
  form: RowForm,
): Awaitable<FoundPage<P>> => {
  const isAfter = 'after' in range
  const [from, to] = isAfter ? [0, range.limit] : [range.offset, range.offset + range.limit]
  const wanted = isAfter ? to + 1 : Math.max(to, cappedTotal) + 1
  const text = db.statementText(`slices of ${form.name} ${scan.name}`, () =>
    statement(db, scan as SlicedScan<never>, form),
  )
  const tasks: string[] = []
  const positions: P[] = []
  let matched = 0
  let after = isAfter ? range.after : scan.start
  const step = (): Awaitable<boolean> => {
    const ofPage = partOf(from, to, matched)
    const ofEnds = partOf(to - 1, to + 1, matched)
    const row = db.get<SliceRow>(text, [...scan.params(after), ...valuesOf(db.dialect, [form]), ...ofPage, ...ofEnds])
    return andThen(row, (row) => {
      const slice = row!
      if (slice.tasks !== null) tasks.push(slice.tasks)
      positions.push(...(JSON.parse(`[${slice.positions ?? ''}]`) as P[]))
      matched += slice.matched
      if (slice.last === null || matched >= wanted) return false
      after = JSON.parse(slice.last) as P
      return true
    })
  }
  const read = sliceWhile(step)
  const page = (): FoundPage<P> => ({
    tasks: `[${tasks.join(',')}]`,
    positions,
    total: isAfter ? null : matched,
  })
  return isPromise(read) ? read.then(page) : page()
}

/** Counts the tasks of a scan slice by slice, by the category of their status. */
export const countSlices = async <P>(
  db: Sql,
  scan: SlicedScan<P>,
): Promise<{ category: Category; count: number }[]> => {
  const text = db.statementText(
    `counts of slices ${scan.name}`,
    () => `with batch as materialized (${scan.batch()})
      select (select ${db.dialect.joined(`'"' || category || '":' || count`, ',')} from (
          select category, count(*) as count from batch where matches = 1 group by category) counts) as counts,
        (select ${positionText(scan.columns)} from batch ${orderText(scan)} limit 1 offset ${scan.rows - 1}) as last`,
  )
  const counts = new Map<Category, number>()
  let after = scan.start
  await sliceWhile(() =>
    andThen(db.get<{ counts: string | null; last: string | null }>(text, scan.params(after)), (row) => {
      const found = JSON.parse(`{${row!.counts ?? ''}}`) as Partial<Record<Category, number>>
      for (const [category, count] of Object.entries(found) as [Category, number][]) {
        counts.set(category, (counts.get(category) ?? 0) + count)
      }
      if (row!.last === null) return false
      after = JSON.parse(row!.last) as P
      return true
    }),
  )
  return [...counts].map(([category, count]) => ({ category, count }))
}
