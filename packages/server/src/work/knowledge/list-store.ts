import { onlyProjectOf, type ProjectSet } from '../../base/project-set.js'
import type { Sql, Value } from '../../db/port.js'
import { inProjects, ofVisibleProject } from '../../db/project-conditions.js'
import { hasVisibleMark, visibleMarkParams } from '../../db/visible-marks.js'
import type { Trust } from './fields.js'
import type { State } from './schema.js'
import { rowJson } from './stored-meta.js'

/** The position of an item in the order of a list. */
type ItemPlace = readonly [key: string, projectId: string]

export interface ItemRange {
  /** The places whose items are wanted. */
  projectIds: ProjectSet
  /** All places but the tenant-wide one. */
  isProjectsOnly: boolean
  fromKey: string
  /** The first key after the range. */
  endKey: string | undefined
  after: ItemPlace | undefined
  /** The last item of the range. */
  upTo?: ItemPlace | undefined
  /** Whether to read the contents of the items. */
  isContentWanted?: boolean
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

/** Returns the first position that the range may contain. */
const firstPlace = ({ after, fromKey }: ItemRange): ItemPlace =>
  // No project's id contains a space, so this is the first position after `after`.
  after !== undefined && after[0] >= fromKey ? [after[0], `${after[1]} `] : [fromKey, '']

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
  add('(k.key, k.project_id) >= (?, ?)', ...firstPlace(range))
  if (range.upTo) add('(k.key, k.project_id) <= (?, ?)', ...range.upTo)
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
  const { upTo, endKey = lastCharacter, projectIds, trust = '', state = '' } = range
  const stale = range.isStale === undefined ? -1 : Number(range.isStale)
  const [markProjects, isAmong] = visibleMarkParams(range.markProjects)
  const conditions = [
    `${place}.tenant_id = ? and (${place}.key, ${place}.project_id) >= (?, ?) and ${place}.key < ?
     and (${place}.key, ${place}.project_id) <= (?, ?) and ${place}.project_id >= ?`,
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
    ...[tenantId, ...firstPlace(range), endKey],
    ...(upTo ?? [lastCharacter, '']),
    range.isProjectsOnly ? ' ' : '',
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

export interface ItemLength {
  place: ItemPlace
  /** In bytes. */
  length: number
}

/** Returns the positions and lengths of the first items of a range. Reads no contents. */
export const listLengths = async (
  db: Sql,
  tenantId: string,
  range: ItemRange,
  limit: number,
  nowMs: number,
): Promise<ItemLength[]> => {
  const { from, order, params } = rowsOf(db, tenantId, range, nowMs)
  const rows = await db.all<{ key: string; project_id: string; length: number }>(
    `select k.key, k.project_id, octet_length(k.meta) + cast(? as bigint) * octet_length(k.content) as length from ${from} order by ${order} limit cast(? as bigint)`,
    [range.isContentWanted ? 1 : 0, ...params, limit],
  )
  return rows.map(({ key, project_id, length }) => ({ place: [key, project_id], length: Number(length) }))
}

/** Returns items as JSON. Read as lines of one text, because reading them as rows costs twice as much. */
export const listItems = async (db: Sql, tenantId: string, range: ItemRange, nowMs: number): Promise<string[]> => {
  const { from, order, params } = rowsOf(db, tenantId, range, nowMs)
  const json = rowJson(db.dialect, range.isContentWanted === true)
  const found = await db.get<{ lines: string | null }>(
    `select ${db.dialect.joined('json', '\n')} as lines from (select ${json} as json from ${from} order by ${order}) page`,
    [nowMs, ...params],
  )
  return found?.lines?.split('\n') ?? []
}

/** Returns when the next item of the tenant expires; undefined if none will. */
export const nextEnd = async (db: Sql, tenantId: string, nowMs: number): Promise<number | undefined> => {
  const found = await db.get<{ next_end: number | null }>(
    'select min(valid_until) as next_end from knowledge where tenant_id = ? and valid_until > ?',
    [tenantId, nowMs],
  )
  return found?.next_end ?? undefined
}
