import type { Awaitable } from '../../../base/awaitable.js'
import type { ProjectSet } from '../../../base/project-set.js'
import { insertRows } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'
import { inProjects, ofVisibleProject } from '../../../db/project-conditions.js'
import type { Link } from './extract.js'

const columnTypes = { item_id: 'text', place: 'bigint', kind: 'text', target: 'text' } as const

export const replaceLinks = (db: Sql, tenantId: string, itemId: string, links: readonly Link[]): Statement[] => [
  { text: 'delete from knowledge_links where tenant_id = ? and item_id = ?', params: [tenantId, itemId] },
  ...insertRows(
    db,
    tenantId,
    'knowledge_links',
    columnTypes,
    links.map(({ kind, target }, place) => ({ item_id: itemId, place, kind, target })),
  ),
]

interface PlacedLink extends Link {
  place: number
}

/** Returns the links of an item after one of them. */
export const listLinks = (
  db: Sql,
  tenantId: string,
  itemId: string,
  after: number,
  count: number,
): Awaitable<PlacedLink[]> =>
  db.all(
    `select kind, target, place from knowledge_links
     where tenant_id = ? and item_id = ? and place > ? order by place limit cast(? as bigint)`,
    [tenantId, itemId, after, count],
  )

/** An item with a link. */
export interface LinkSource {
  id: string
  project_id: string
  key: string
  target: string
  place: number
  /** As JSON. */
  title: string | null
}

interface SourceRange {
  kind: Link['kind']
  targets: readonly string[]
  /** The places whose items are wanted. */
  projectIds: ProjectSet
  after: readonly [itemId: string, place: number]
}

/** Returns items with a link to one of the targets in the order of their creation, once for each such link. */
export const listSources = (
  db: Sql,
  tenantId: string,
  { kind, targets, projectIds, after }: SourceRange,
  count: number,
): Awaitable<LinkSource[]> => {
  const [ofProjects, projects] = inProjects(db.dialect, 'k.project_id', projectIds)
  return db.all(
    `select k.id, k.project_id, k.key, l.target, l.place, ${db.dialect.jsonField("k.meta || '}'", 'title')} as title
     from knowledge_links l ${db.dialect.joinByKey('knowledge', 'k', { tenant_id: ':tenant', id: 'l.item_id' })}
     where l.tenant_id = ? and l.kind = ? and ${db.dialect.isAmong('l.target', 'text')} and (l.item_id, l.place) > (?, ?)
       and ${ofVisibleProject('k')}${ofProjects}
     order by l.item_id, l.place limit cast(? as bigint)`,
    [tenantId, kind, db.dialect.listOf(targets), ...after, ...projects, count],
  )
}

/** Which of the keys have an item in which of the places. */
export const findPlacedKeys = (
  db: Sql,
  tenantId: string,
  projectIds: readonly string[],
  keys: readonly string[],
): Awaitable<{ id: string; project_id: string; key: string }[]> =>
  db.all(
    `select id, project_id, key from knowledge where tenant_id = ? and ${db.dialect.isAmong('project_id', 'text')}
       and ${db.dialect.isAmong('key', 'text')}`,
    [tenantId, db.dialect.listOf(projectIds), db.dialect.listOf(keys)],
  )

/** The keys of a place, up to a number of them. */
export const listKeys = (
  db: Sql,
  tenantId: string,
  projectId: string,
  count: number,
): Awaitable<{ id: string; key: string }[]> =>
  db.all('select id, key from knowledge where tenant_id = ? and project_id = ? limit cast(? as bigint)', [
    tenantId,
    projectId,
    count,
  ])

export interface ItemText {
  id: string
  key: string
  content: string
  link_count: number
}

/** Returns the next items after an ID, in ID order, including items of deleted projects. */
export const listTextsAfter = (db: Sql, tenantId: string, id: string, count: number): Awaitable<ItemText[]> =>
  db.all(
    `select id, key, content, link_count from knowledge
     where tenant_id = ? and id > ? order by id limit cast(? as bigint)`,
    [tenantId, id, count],
  )

export const setLinkCount = (tenantId: string, { id }: ItemText, count: number): Statement => ({
  text: 'update knowledge set link_count = ? where tenant_id = ? and id = ?',
  params: [count, tenantId, id],
})
