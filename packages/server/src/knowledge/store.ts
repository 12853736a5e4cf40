import type { Awaitable } from '../awaitable.js'
import type { Sql, Value } from '../db/port.js'
import { placeholders } from '../paging.js'
import type { KnowledgeMeta } from './schema.js'

/** The empty text stands for the tenant as a whole. */
export type ProjectScope = string

export interface StoredItem {
  project_id: ProjectScope
  key: string
  version: number
  meta: string
  content: string
}

const columns = 'project_id, key, version, meta, content'

const openMeta = (meta: KnowledgeMeta): string => JSON.stringify(meta).slice(0, -1)

export const itemJson = ({ meta, content }: Pick<StoredItem, 'meta' | 'content'>): string =>
  `${meta},"content":${content}}`

const itemStatement = `select ${columns} from knowledge where tenant_id = ? and project_id = ? and key = ?`

export const findItem = (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  key: string,
  lock: '' | 'forUpdate' = '',
): Awaitable<StoredItem | undefined> =>
  db.get(lock ? itemStatement + db.dialect[lock] : itemStatement, [tenantId, projectId, key])

/** Where a key stands, the tenant-wide place first. */
export const placesOfKey = async (db: Sql, tenantId: string, key: string): Promise<ProjectScope[]> => {
  const rows = await db.all<{ project_id: string }>(
    'select project_id from knowledge where tenant_id = ? and key = ? order by project_id',
    [tenantId, key],
  )
  return rows.map(({ project_id }) => project_id)
}

/** Answers false where the item exists already. */
export const insertItem = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  meta: KnowledgeMeta,
  content: string,
): Promise<boolean> => {
  const atMs = Date.parse(meta.createdAt)
  const inserted = await db.run(
    `insert into knowledge (tenant_id, project_id, key, version, created_at, updated_at, meta, content)
     values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant_id, project_id, key) do nothing`,
    [tenantId, projectId, meta.key, meta.version, atMs, atMs, openMeta(meta), content],
  )
  return inserted === 1
}

export const updateItem = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  meta: KnowledgeMeta,
  content: string,
): Promise<void> => {
  await db.run(
    `update knowledge set version = ?, updated_at = ?, meta = ?, content = ?
     where tenant_id = ? and project_id = ? and key = ?`,
    [meta.version, Date.parse(meta.updatedAt), openMeta(meta), content, tenantId, projectId, meta.key],
  )
}

/** Removes an item and keeps its version, so that the key goes on counting. */
export const deleteItem = async (
  db: Sql,
  tenantId: string,
  projectKey: string,
  item: Pick<StoredItem, 'project_id' | 'key' | 'version'>,
): Promise<void> => {
  await db.run('delete from knowledge where tenant_id = ? and project_id = ? and key = ?', [
    tenantId,
    item.project_id,
    item.key,
  ])
  await db.run(
    `insert into retired_knowledge (tenant_id, project_key, key, last_version) values (?, ?, ?, ?)
     on conflict (tenant_id, project_key, key) do update set last_version = excluded.last_version`,
    [tenantId, projectKey, item.key, item.version],
  )
}

export const lastVersionOf = async (db: Sql, tenantId: string, projectKey: string, key: string): Promise<number> => {
  const row = await db.get<{ last_version: number }>(
    'select last_version from retired_knowledge where tenant_id = ? and project_key = ? and key = ?',
    [tenantId, projectKey, key],
  )
  return row?.last_version ?? 0
}

export const hasProjectItems = async (db: Sql, tenantId: string, projectId: string): Promise<boolean> =>
  (await db.get('select 1 as found from knowledge where tenant_id = ? and project_id = ? limit 1', [
    tenantId,
    projectId,
  ])) !== undefined

export const deleteProjectItems = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  projectKey: string,
): Promise<void> => {
  await db.run(
    `insert into retired_knowledge (tenant_id, project_key, key, last_version)
     select tenant_id, ?, key, version from knowledge where tenant_id = ? and project_id = ?
     on conflict (tenant_id, project_key, key) do update set last_version = excluded.last_version`,
    [projectKey, tenantId, projectId],
  )
  await db.run('delete from knowledge where tenant_id = ? and project_id = ?', [tenantId, projectId])
}

export interface ItemRange {
  /** Only these places, or null for all. */
  projectIds: readonly ProjectScope[] | null
  /** All places but the tenant-wide one. */
  isProjectsOnly: boolean
  fromKey: string
  /** The first key after the range. */
  endKey: string | undefined
  after: readonly [key: string, projectId: string] | undefined
}

/** Items as their answers' JSON. They come as one text of lines, which no JSON breaks: rows would cost twice. */
export const listItems = async (
  db: Sql,
  tenantId: string,
  range: ItemRange,
  isContentWanted: boolean,
  count: number,
): Promise<string[]> => {
  const conditions = ['tenant_id = ?']
  const params: Value[] = [tenantId]
  const add = (text: string, ...values: readonly Value[]): void => {
    conditions.push(text)
    params.push(...values)
  }
  if (range.projectIds?.length === 1) add('project_id = ?', range.projectIds[0]!)
  else if (range.projectIds) add(`project_id in (${placeholders(range.projectIds)})`, ...range.projectIds)
  if (range.isProjectsOnly) add("project_id > ''")
  if (range.fromKey) add('key >= ?', range.fromKey)
  if (range.endKey !== undefined) add('key < ?', range.endKey)
  if (range.after) add('(key, project_id) > (?, ?)', ...range.after)
  const json = isContentWanted ? `meta || ',"content":' || content || '}'` : "meta || '}'"
  const found = await db.get<{ lines: string | null }>(
    `select ${db.dialect.joined('json', '\n')} as lines from (
       select ${json} as json from knowledge
       where ${conditions.join(' and ')} order by key, project_id limit ?) page`,
    [...params, count],
  )
  return found?.lines?.split('\n') ?? []
}
