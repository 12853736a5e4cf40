import type { Awaitable } from '../../base/awaitable.js'
import type { Sql, Statement, Value, Write } from '../../db/port.js'
import { ofVisibleProject } from '../../db/visible-project.js'
import type { KnowledgeMeta } from './schema.js'
import { jsonOfRow, type StoredMeta, storedMeta } from './stored-meta.js'

/** The empty text stands for the tenant as a whole. */
export type ProjectScope = string

export interface StoredItem {
  project_id: ProjectScope
  key: string
  version: number
  meta: StoredMeta
  /** A JSON string literal. */
  content: string
}

const columns = 'project_id, key, version, meta, content'

const itemStatement = `select ${columns} from knowledge where tenant_id = ? and project_id = ? and key = ?`

export const findItem = (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  key: string,
): Awaitable<StoredItem | undefined> => db.lookup(itemStatement, [tenantId, projectId, key])

/** Where a key stands, the tenant-wide place first. */
export const placesOfKey = async (db: Sql, tenantId: string, key: string): Promise<ProjectScope[]> => {
  const rows = await db.all<{ project_id: string }>(
    `select project_id from knowledge where tenant_id = ? and key = ? and ${ofVisibleProject('knowledge')}
     order by project_id`,
    [tenantId, key, tenantId],
  )
  return rows.map(({ project_id }) => project_id)
}

/** Where a key stands in projects that are being deleted. */
export const hiddenPlacesOfKey = async (db: Sql, tenantId: string, key: string): Promise<ProjectScope[]> => {
  const rows = await db.all<{ project_id: string }>(
    `select project_id from knowledge where tenant_id = ? and key = ? and not ${ofVisibleProject('knowledge')}`,
    [tenantId, key, tenantId],
  )
  return rows.map(({ project_id }) => project_id)
}

export const insertItem = (tenantId: string, projectId: ProjectScope, meta: KnowledgeMeta, content: string): Write => {
  const [createdAtMs, updatedAtMs] = [Date.parse(meta.createdAt), Date.parse(meta.updatedAt)]
  return {
    table: 'knowledge',
    text: `insert into knowledge (tenant_id, project_id, key, version, created_at, updated_at, meta, content)
           values (?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [tenantId, projectId, meta.key, meta.version, createdAtMs, updatedAtMs, storedMeta(meta), content],
  }
}

export const updateItem = (tenantId: string, projectId: ProjectScope, meta: KnowledgeMeta, content: string): Write => ({
  table: 'knowledge',
  text: `update knowledge set version = ?, updated_at = ?, meta = ?, content = ?
         where tenant_id = ? and project_id = ? and key = ?`,
  params: [meta.version, Date.parse(meta.updatedAt), storedMeta(meta), content, tenantId, projectId, meta.key],
})

/** Removes an item and keeps its version, so that the key goes on counting. */
export const deleteItem = (
  tenantId: string,
  projectKey: string,
  item: Pick<StoredItem, 'project_id' | 'key' | 'version'>,
): Write[] => [
  {
    table: 'knowledge',
    text: 'delete from knowledge where tenant_id = ? and project_id = ? and key = ?',
    params: [tenantId, item.project_id, item.key],
  },
  retireKey(tenantId, projectKey, item),
]

const retireKey = (tenantId: string, projectKey: string, item: Pick<StoredItem, 'key' | 'version'>): Write => ({
  table: 'retired_knowledge',
  text: `insert into retired_knowledge (tenant_id, project_key, key, last_version) values (?, ?, ?, ?)
         on conflict (tenant_id, project_key, key) do update set last_version = excluded.last_version`,
  params: [tenantId, projectKey, item.key, item.version],
})

/** What is known of an item without its content, but for the content's size. */
export interface ItemHead extends Omit<StoredItem, 'content'> {
  bytes: number
}

/** Gives an item another key or project; the key that it leaves goes on counting from its last version. */
export const moveItem = (
  tenantId: string,
  fromProjectKey: string,
  item: Pick<StoredItem, 'project_id' | 'key' | 'version'>,
  toProjectId: ProjectScope,
  meta: KnowledgeMeta,
): Statement[] => [
  {
    text: `update knowledge set project_id = ?, key = ?, version = ?, updated_at = ?, meta = ?
           where tenant_id = ? and project_id = ? and key = ?`,
    params: [
      ...[toProjectId, meta.key, meta.version, Date.parse(meta.updatedAt), storedMeta(meta)],
      ...[tenantId, item.project_id, item.key],
    ],
  },
  retireKey(tenantId, fromProjectKey, item),
]

/** An item and, where they are wanted, all below its key, in the order of the keys. */
export const findItemHeads = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  key: string,
  isRecursive: boolean,
  count: number,
): Promise<ItemHead[]> =>
  db.all(
    `select project_id, key, version, meta, octet_length(content) as bytes from knowledge
     where tenant_id = ? and project_id = ? and (key = ? or (key >= ? and key < ?)) order by key limit cast(? as bigint)`,
    // A slash is followed by the digit 0 in the order of bytes; from the key to itself there is nothing.
    [tenantId, projectId, key, isRecursive ? `${key}/` : key, isRecursive ? `${key}0` : key, count],
  )

/** The contents of items, by their keys. */
export const findContents = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  keys: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await db.all<{ key: string; content: string }>(
    `select key, content from knowledge where tenant_id = ? and project_id = ? and ${db.dialect.isAmong('key', 'text')}`,
    [tenantId, projectId, db.dialect.listOf(keys)],
  )
  return new Map(rows.map(({ key, content }) => [key, content]))
}

/** Which of the keys have an item in a place. */
export const findUsedKeys = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  keys: readonly string[],
): Promise<Set<string>> => {
  const rows = await db.all<{ key: string }>(
    `select key from knowledge where tenant_id = ? and project_id = ? and ${db.dialect.isAmong('key', 'text')}`,
    [tenantId, projectId, db.dialect.listOf(keys)],
  )
  return new Set(rows.map(({ key }) => key))
}

/** The last versions of keys that had an item once. */
export const findLastVersions = async (
  db: Sql,
  tenantId: string,
  projectKey: string,
  keys: readonly string[],
): Promise<Map<string, number>> => {
  const rows = await db.all<{ key: string; last_version: number }>(
    `select key, last_version from retired_knowledge
     where tenant_id = ? and project_key = ? and ${db.dialect.isAmong('key', 'text')}`,
    [tenantId, projectKey, db.dialect.listOf(keys)],
  )
  return new Map(rows.map(({ key, last_version }) => [key, last_version]))
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

/** So much is taken away at once; one item may be as long alone. */
const maxBytesAtOnce = 1_048_576

/** Takes the first items of a project that is being deleted away. */
export const deleteProjectItems = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  projectKey: string,
  count: number,
): Promise<StoredItem[]> => {
  const sizes = await db.all<{ key: string; bytes: number }>(
    `select key, octet_length(meta) + octet_length(content) as bytes from knowledge
     where tenant_id = ? and project_id = ? order by key limit cast(? as bigint)`,
    [tenantId, projectId, count],
  )
  let last = sizes[0]?.key
  let left = maxBytesAtOnce
  for (const { key, bytes } of sizes) {
    left -= bytes
    if (left >= 0) last = key
  }
  if (last === undefined) return []
  const range = [tenantId, projectId, last]
  const items = await db.all<StoredItem>(
    `select ${columns} from knowledge where tenant_id = ? and project_id = ? and key <= ? order by key`,
    range,
  )
  await db.runAll([
    {
      text: `insert into retired_knowledge (tenant_id, project_key, key, last_version)
             select tenant_id, cast(? as text), key, version from knowledge
             where tenant_id = ? and project_id = ? and key <= ?
             on conflict (tenant_id, project_key, key) do update set last_version = excluded.last_version`,
      params: [projectKey, ...range],
    },
    { text: 'delete from knowledge where tenant_id = ? and project_id = ? and key <= ?', params: range },
  ])
  return items
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
const conditionsOf = (db: Sql, tenantId: string, range: ItemRange): { text: string; params: Value[] } => {
  const conditions = ['tenant_id = ?']
  const params: Value[] = [tenantId]
  const add = (text: string, ...values: readonly Value[]): void => {
    conditions.push(text)
    params.push(...values)
  }
  if (range.projectIds?.length === 1) add('project_id = ?', range.projectIds[0]!)
  else if (range.projectIds) add(db.dialect.isAmong('project_id', 'text'), db.dialect.listOf(range.projectIds))
  if (range.isProjectsOnly) add("project_id > ''")
  if (range.projectIds?.length !== 1) add(ofVisibleProject('knowledge'), tenantId)
  if (range.after && range.after[0] >= range.fromKey) add('(key, project_id) > (?, ?)', ...range.after)
  else add('key >= ?', range.fromKey)
  if (range.endKey !== undefined) add('key < ?', range.endKey)
  return { text: conditions.join(' and '), params }
}

/** How many items a range has, counted up to `most`. */
export const countItems = async (db: Sql, tenantId: string, range: ItemRange, most: number): Promise<number> => {
  const { text, params } = conditionsOf(db, tenantId, range)
  const row = await db.get<{ count: number }>(
    `select count(*) as count from (select 1 from knowledge where ${text} limit cast(? as bigint)) counted`,
    [...params, most],
  )
  return Number(row!.count)
}

export const listItems = async (
  db: Sql,
  tenantId: string,
  range: ItemRange,
  isContentWanted: boolean,
  count: number,
): Promise<string[]> => {
  const { text, params } = conditionsOf(db, tenantId, range)
  const json = jsonOfRow[isContentWanted ? 'item' : 'meta']
  const found = await db.get<{ lines: string | null }>(
    `select ${db.dialect.joined('json', '\n')} as lines from (
       select ${json} as json from knowledge
       where ${text} order by key, project_id limit cast(? as bigint)) page`,
    [...params, count],
  )
  return found?.lines?.split('\n') ?? []
}
