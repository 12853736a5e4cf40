import type { ProjectSet } from '../../../base/project-set.js'
import { insertRows } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'
import { inProjects, ofVisibleProject } from '../../../db/project-conditions.js'
import type { Link } from './extract.js'

const columnTypes = { project_id: 'text', key: 'text', place: 'bigint', kind: 'text', target: 'text' } as const

/** Puts the links of an item in place of those that it had. */
export const replaceLinks = (
  db: Sql,
  tenantId: string,
  projectId: string,
  key: string,
  links: readonly Link[],
): Statement[] => [
  {
    text: 'delete from knowledge_links where tenant_id = ? and project_id = ? and key = ?',
    params: [tenantId, projectId, key],
  },
  ...insertRows(
    db,
    tenantId,
    'knowledge_links',
    columnTypes,
    links.map(({ kind, target }, place) => ({ project_id: projectId, key, place, kind, target })),
  ),
]

interface PlacedLink extends Link {
  place: number
}

/** The links of an item after one of them. */
export const listLinks = (
  db: Sql,
  tenantId: string,
  projectId: string,
  key: string,
  after: number,
  count: number,
): Promise<PlacedLink[]> | PlacedLink[] =>
  db.all(
    `select kind, target, place from knowledge_links
     where tenant_id = ? and project_id = ? and key = ? and place > ? order by place limit cast(? as bigint)`,
    [tenantId, projectId, key, after, count],
  )

export interface LinkSource {
  project_id: string
  key: string
  target: string
}

interface SourceRange {
  kind: Link['kind']
  targets: readonly string[]
  /** The places whose items are wanted. */
  projectIds: ProjectSet
  after: readonly [key: string, projectId: string]
}

/** Items with a link to one of the targets, by their keys; one for each target that they have. */
export const listSources = (
  db: Sql,
  tenantId: string,
  { kind, targets, projectIds, after }: SourceRange,
  count: number,
): Promise<LinkSource[]> | LinkSource[] => {
  const [ofProjects, projects] = inProjects(db.dialect, 'l.project_id', projectIds)
  return db.all(
    `select l.project_id, l.key, l.target from knowledge_links l
     where l.tenant_id = ? and l.kind = ? and ${db.dialect.isAmong('l.target', 'text')}
       and (l.key, l.project_id) > (?, ?) and ${ofVisibleProject('l')}${ofProjects}
     order by l.key, l.project_id limit cast(? as bigint)`,
    [tenantId, kind, db.dialect.listOf(targets), ...after, ...projects, count],
  )
}

/** Which of the keys have an item in which of the places. */
export const findPlacedKeys = (
  db: Sql,
  tenantId: string,
  projectIds: readonly string[],
  keys: readonly string[],
): Promise<{ project_id: string; key: string }[]> | { project_id: string; key: string }[] =>
  db.all(
    `select project_id, key from knowledge where tenant_id = ? and ${db.dialect.isAmong('project_id', 'text')}
       and ${db.dialect.isAmong('key', 'text')}`,
    [tenantId, db.dialect.listOf(projectIds), db.dialect.listOf(keys)],
  )

/** The keys of a place, up to a number of them. */
export const listKeys = async (db: Sql, tenantId: string, projectId: string, count: number): Promise<string[]> => {
  const rows = await db.all<{ key: string }>(
    'select key from knowledge where tenant_id = ? and project_id = ? limit cast(? as bigint)',
    [tenantId, projectId, count],
  )
  return rows.map(({ key }) => key)
}

/** Titles of items, by place and key. */
export const findTitles = async (
  db: Sql,
  tenantId: string,
  items: readonly { project_id: string; key: string }[],
): Promise<Map<string, string | null>> => {
  const rows = await db.all<{ project_id: string; key: string; title: string | null }>(
    `select k.project_id, k.key, ${db.dialect.jsonField("k.meta || '}'", 'title')} as title
     from ${db.dialect.rowsOf({ project_id: 'text', key: 'text' })}
     ${db.dialect.joinByKey('knowledge', 'k', { tenant_id: '?', project_id: 'given.project_id', key: 'given.key' })}`,
    [JSON.stringify(items), tenantId],
  )
  return new Map(rows.map(({ project_id, key, title }) => [`${project_id}/${key}`, JSON.parse(title ?? 'null')]))
}

export interface ItemText {
  project_id: string
  key: string
  content: string
  link_count: number
}

/** Finds items after one, in the order of their projects and keys, also those of deleted projects. */
export const listTextsAfter = (
  db: Sql,
  tenantId: string,
  [projectId, key]: readonly [projectId: string, key: string],
  count: number,
): Promise<ItemText[]> | ItemText[] =>
  db.all(
    `select project_id, key, content, link_count from knowledge
     where tenant_id = ? and (project_id, key) > (?, ?) order by project_id, key limit cast(? as bigint)`,
    [tenantId, projectId, key, count],
  )

export const setLinkCount = (tenantId: string, { project_id, key }: ItemText, count: number): Statement => ({
  text: 'update knowledge set link_count = ? where tenant_id = ? and project_id = ? and key = ?',
  params: [count, tenantId, project_id, key],
})
