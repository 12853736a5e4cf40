import { onlyProjectOf, type ProjectSet } from '../../base/project-set.js'
import type { Sql, Value } from '../../db/port.js'
import { inProjects, ofVisibleProject } from '../../db/project-conditions.js'
import { hasVisibleMark, visibleMarkParams } from '../../db/visible-marks.js'
import type { Trust } from './fields.js'
import type { State } from './schema.js'
import { rowJson } from './stored-meta.js'

export interface ItemRange {
  /** The places whose items are wanted. */
  projectIds: ProjectSet
  /** All places but the tenant-wide one. */
  isProjectsOnly: boolean
  fromKey: string
  /** The first key after the range. */
  endKey: string | undefined
  after: readonly [key: string, projectId: string] | undefined
  tag?: string | undefined
  trust?: Trust | undefined
  state?: State | undefined
  /** Whether the items have a staleness mark about an item of `markProjects`. */
  isStale?: boolean | undefined
  /** The projects whose items the caller sees in staleness marks. */
  markProjects: ProjectSet
}

/** The rows of a list, their order, and the parameters of both. */
interface ListedRows {
  from: string
  order: string
  params: Value[]
}

const unfilteredRows = (db: Sql, tenantId: string, range: ItemRange): ListedRows => {
  const conditions = ['k.tenant_id = ?']
  const params: Value[] = [tenantId]
  const add = (text: string, ...values: readonly Value[]): void => {
    conditions.push(text)
    params.push(...values)
  }
  const onlyProject = onlyProjectOf(range.projectIds)
  const [ofProjects, projects] = inProjects(
    db.dialect,
    'k.project_id',
    onlyProject === undefined ? range.projectIds : null,
  )
  if (onlyProject !== undefined) add('k.project_id = ?', onlyProject)
  if (range.isProjectsOnly) add("k.project_id > ''")
  if (onlyProject === undefined) add(`${ofVisibleProject('k')}${ofProjects}`, ...projects)
  if (range.after && range.after[0] >= range.fromKey) add('(k.key, k.project_id) > (?, ?)', ...range.after)
  else add('k.key >= ?', range.fromKey)
  if (range.endKey !== undefined) add('k.key < ?', range.endKey)
  return { from: `knowledge k where ${conditions.join(' and ')}`, order: 'k.key, k.project_id', params }
}

/** The condition of the index of items that are in any way special. */
const isNotable =
  "(k.lifecycle <> 'current' or k.trust <> 'unreviewed' or k.valid_until is not null or k.stale is not null)"

const isAllNotable = ({ trust, state, isStale }: ItemRange): boolean =>
  isStale === true || (trust !== undefined && trust !== 'unreviewed') || (state !== undefined && state !== 'current')

const lastCharacter = '\u{10ffff}'

/**
 * The same with filters: by the entries of a tag, by those of special items, or by all. Filters are rare, so each of the
 * three is one text, with values for whatever is not asked for.
 */
const filteredRows = (db: Sql, tenantId: string, range: ItemRange, nowMs: number): ListedRows => {
  const place = range.tag === undefined ? 'k' : 'g'
  const { after, fromKey, endKey = lastCharacter, projectIds, trust = '', state = '' } = range
  const isAfter = after !== undefined && after[0] >= fromKey
  const stale = range.isStale === undefined ? -1 : Number(range.isStale)
  const [markProjects, isAmong] = visibleMarkParams(range.markProjects)
  const conditions = [
    `${place}.tenant_id = ? and (${place}.key, ${place}.project_id) >= (?, ?) and ${place}.key < ?
     and ${place}.project_id >= ?`,
    ofVisibleProject(place),
    "(cast(? as text) = '' or k.trust = cast(? as text))",
    `(cast(? as text) = '' or cast(? as text) =
       case when k.lifecycle = 'current' and k.valid_until <= cast(? as bigint) then 'expired' else k.lifecycle end)`,
    `(cast(? as bigint) < 0 or ${hasVisibleMark(db.dialect, 'k.stale')} = (cast(? as bigint) = 1))`,
    ...(range.tag === undefined ? [] : ['g.tag = ?']),
    ...(range.tag === undefined && isAllNotable(range) ? [isNotable] : []),
  ]
  const [ofProjects, projects] = inProjects(db.dialect, `${place}.project_id`, projectIds)
  const params = [
    // No project's id has a space in it: this is the first place after one.
    ...[tenantId, ...(isAfter ? [after[0], `${after[1]} `] : [fromKey, '']), endKey, range.isProjectsOnly ? ' ' : ''],
    ...[trust, trust, state, state, nowMs, stale, db.dialect.listOf(markProjects), isAmong, stale],
    ...(range.tag === undefined ? [] : [range.tag]),
    ...projects,
  ]
  const item = { tenant_id: ':tenant', id: 'g.item_id' }
  const tables = place === 'k' ? 'knowledge k' : `knowledge_tags g ${db.dialect.joinByKey('knowledge', 'k', item)}`
  return {
    from: `${tables} where ${conditions.join(' and ')}${ofProjects}`,
    order: `${place}.key, ${place}.project_id`,
    params,
  }
}

const rowsOf = (db: Sql, tenantId: string, range: ItemRange, nowMs: number): ListedRows => {
  const { tag, trust, state, isStale } = range
  const isFiltered = [tag, trust, state, isStale].some((filter) => filter !== undefined)
  return isFiltered ? filteredRows(db, tenantId, range, nowMs) : unfilteredRows(db, tenantId, range)
}

/** How many items a range has, counted up to `max`. */
export const countItems = async (
  db: Sql,
  tenantId: string,
  range: ItemRange,
  max: number,
  nowMs: number,
): Promise<number> => {
  const { from, params } = rowsOf(db, tenantId, range, nowMs)
  const row = await db.get<{ count: number }>(
    `select count(*) as count from (select 1 from ${from} limit cast(? as bigint)) counted`,
    [...params, max],
  )
  return Number(row!.count)
}

interface ListedItems {
  items: string[]
  /** When the next item of the tenant expires; undefined where none will. */
  nextEnd: number | undefined
}

/** Items as their answers' JSON. They come as one text of lines, which no JSON breaks: rows would cost twice. */
export const listItems = async (
  db: Sql,
  tenantId: string,
  range: ItemRange,
  isContentWanted: boolean,
  count: number,
  nowMs: number,
): Promise<ListedItems> => {
  const { from, order, params } = rowsOf(db, tenantId, range, nowMs)
  const json = rowJson(db.dialect, isContentWanted)
  const found = await db.get<{ lines: string | null; next_end: number | null }>(
    `select ${db.dialect.joined('json', '\n')} as lines,
       (select min(e.valid_until) from knowledge e where e.tenant_id = ? and e.valid_until > cast(? as bigint)) as next_end
     from (select ${json} as json from ${from} order by ${order} limit cast(? as bigint)) page`,
    [tenantId, nowMs, nowMs, ...params, count],
  )
  return { items: found?.lines?.split('\n') ?? [], nextEnd: found?.next_end ?? undefined }
}
