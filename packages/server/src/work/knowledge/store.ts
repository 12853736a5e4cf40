import type { Awaitable } from '../../base/awaitable.js'
import type { Sql, Statement, Value, Write } from '../../db/port.js'
import { ofVisibleProject } from '../../db/project-conditions.js'
import { isNotable } from './list-store.js'
import type { FormerAddress } from './moves/store.js'
import type { KnowledgeMeta } from './schema.js'
import { type DerivedColumns, derivedColumnsOf, type StoredMeta, storedMeta } from './stored-meta.js'

/** The empty text stands for the tenant as a whole. */
export type ProjectScope = string

export interface StoredItem extends DerivedColumns {
  project_id: ProjectScope
  key: string
  version: number
  meta: StoredMeta
  /** A JSON string literal. */
  content: string
  /** Who last changed the content, as JSON; null where that is who last changed the item. */
  content_by: string | null
  /** How often what the item shows has changed without a new version. */
  derived_count: number
  link_count: number
}

const headColumns =
  'project_id, key, version, meta, lifecycle, valid_until, stale, content_by, derived_count, link_count'
const columns = `${headColumns}, content`

/** The columns of an item in a table of another name. */
export const itemColumnsOf = (table: string): string =>
  columns
    .split(', ')
    .map((name) => `${table}.${name}`)
    .join(', ')

const itemStatement = `select ${columns} from knowledge where tenant_id = ? and project_id = ? and key = ?`

export const findItem = (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  key: string,
): Awaitable<StoredItem | undefined> => db.lookup(itemStatement, [tenantId, projectId, key], tenantId)

/** Where a key stands, the tenant-wide place first. */
export const placesOfKey = async (db: Sql, tenantId: string, key: string): Promise<ProjectScope[]> => {
  const rows = await db.all<{ project_id: string }>(
    `select project_id from knowledge where tenant_id = ? and key = ? and ${ofVisibleProject('knowledge')}
     order by project_id`,
    [tenantId, key],
  )
  return rows.map(({ project_id }) => project_id)
}

/** Where a key stands in projects that are being deleted. */
export const hiddenPlacesOfKey = async (db: Sql, tenantId: string, key: string): Promise<ProjectScope[]> => {
  const rows = await db.all<{ project_id: string }>(
    `select project_id from knowledge where tenant_id = ? and key = ? and not ${ofVisibleProject('knowledge')}`,
    [tenantId, key],
  )
  return rows.map(({ project_id }) => project_id)
}

const rareColumns = [
  'lifecycle',
  'superseded_by',
  'valid_until',
  'trust',
  'content_by',
  'stale',
  'derived_count',
  'link_count',
]

const rareValues = (item: StoredItem, { supersededBy, trust }: KnowledgeMeta): Value[] => [
  ...[item.lifecycle, supersededBy, item.valid_until, trust],
  ...[item.content_by, item.stale, item.derived_count, item.link_count],
]

/** An item whose `meta` is that of the row. */
export const insertItem = (tenantId: string, item: StoredItem, meta: KnowledgeMeta): Write => ({
  table: 'knowledge',
  text: `insert into knowledge (tenant_id, project_id, key, version, created_at, updated_at, meta, content,
           ${rareColumns.join(', ')})
         values (?, ?, ?, ?, ?, ?, ?, ?${', ?'.repeat(rareColumns.length)})`,
  params: [
    ...[tenantId, item.project_id, item.key, item.version, Date.parse(meta.createdAt), Date.parse(meta.updatedAt)],
    ...[item.meta, item.content, ...rareValues(item, meta)],
  ],
})

/** SQLite rewrites the index entries of a column that is set, even to the same value: few updates set the rare ones. */
export const updateItem = (
  tenantId: string,
  item: StoredItem,
  meta: KnowledgeMeta,
  { areRareChanged }: { areRareChanged: boolean },
): Write => ({
  table: 'knowledge',
  text: `update knowledge set version = ?, updated_at = ?, meta = ?, content = ?
           ${areRareChanged ? rareColumns.map((name) => `, ${name} = ?`).join('') : ''}
         where tenant_id = ? and project_id = ? and key = ?`,
  params: [
    ...[item.version, Date.parse(meta.updatedAt), item.meta, item.content],
    ...(areRareChanged ? rareValues(item, meta) : []),
    ...[tenantId, item.project_id, item.key],
  ],
})

/** Puts the tags of an item in place of those that it had. */
export const replaceTags = (
  tenantId: string,
  projectId: ProjectScope,
  key: string,
  tags: readonly string[],
): Statement[] => [
  {
    text: 'delete from knowledge_tags where tenant_id = ? and project_id = ? and key = ?',
    params: [tenantId, projectId, key],
  },
  ...tags.map((tag) => ({
    text: 'insert into knowledge_tags (tenant_id, project_id, key, tag) values (?, ?, ?, ?)',
    params: [tenantId, projectId, key, tag],
  })),
]

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
  retireKey(tenantId, projectKey, item, null),
]

const retireKey = (
  tenantId: string,
  projectKey: string,
  item: Pick<StoredItem, 'key' | 'version'>,
  movedTo: FormerAddress | null,
): Write => ({
  table: 'retired_knowledge',
  text: `insert into retired_knowledge (tenant_id, project_key, key, last_version, moved_to_project, moved_to_key)
         values (?, ?, ?, ?, ?, ?)
         on conflict (tenant_id, project_key, key) do update set last_version = excluded.last_version,
           moved_to_project = excluded.moved_to_project, moved_to_key = excluded.moved_to_key`,
  params: [tenantId, projectKey, item.key, item.version, movedTo?.projectKey ?? null, movedTo?.key ?? null],
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
  to: { id: ProjectScope; key: string },
  meta: KnowledgeMeta,
  contentBy: string,
): Statement[] => [
  {
    text: `update knowledge set project_id = ?, key = ?, version = ?, updated_at = ?, meta = ?, content_by = ?,
             lifecycle = ?, superseded_by = ?
           where tenant_id = ? and project_id = ? and key = ?`,
    params: [
      ...[to.id, meta.key, meta.version, Date.parse(meta.updatedAt), storedMeta(meta), contentBy],
      ...[derivedColumnsOf(meta).lifecycle, meta.supersededBy],
      ...[tenantId, item.project_id, item.key],
    ],
  },
  ...(meta.tags.length > 0
    ? [...replaceTags(tenantId, item.project_id, item.key, []), ...replaceTags(tenantId, to.id, meta.key, meta.tags)]
    : []),
  retireKey(tenantId, fromProjectKey, item, { projectKey: to.key, key: meta.key }),
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
    `select ${headColumns}, octet_length(content) as bytes from knowledge
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

/** Returns the last version that an item of a key had in a project of a key, deleted projects included; 0 for none. */
export const lastVersionOf = async (db: Sql, tenantId: string, projectKey: string, key: string): Promise<number> => {
  const row = await db.get<{ last_version: number | null }>(
    `select max(last_version) as last_version from (
       select r.last_version from retired_knowledge r where r.tenant_id = ? and r.project_key = ? and r.key = ?
       union all
       select k.version from projects p join knowledge k on k.tenant_id = :tenant and k.project_id = p.id
       where p.tenant_id = ? and p.key = ? and p.deleting_at is not null and k.key = ?) versions`,
    [tenantId, projectKey, key, tenantId, projectKey, key],
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
             on conflict (tenant_id, project_key, key) do update set last_version = excluded.last_version,
               moved_to_project = null, moved_to_key = null
             where excluded.last_version > retired_knowledge.last_version`,
      params: [projectKey, ...range],
    },
    { text: 'delete from knowledge_tags where tenant_id = ? and project_id = ? and key <= ?', params: range },
    { text: 'delete from knowledge_links where tenant_id = ? and project_id = ? and key <= ?', params: range },
    { text: 'delete from knowledge where tenant_id = ? and project_id = ? and key <= ?', params: range },
  ])
  return items
}

/** The items that follow one in the chain of those that replace each other, the nearest first. */
export const findSuccessors = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  key: string,
  max: number,
): Promise<string[]> => {
  const rows = await db.all<{ key: string }>(
    `with recursive chain (key, depth) as (
       select superseded_by, 1 from knowledge where tenant_id = ? and project_id = ? and key = ?
       union all
       select k.superseded_by, chain.depth + 1 from chain
       join knowledge k on k.tenant_id = ? and k.project_id = ? and k.key = chain.key
       where chain.depth < cast(? as bigint))
     select key from chain where key is not null order by depth`,
    [tenantId, projectId, key, tenantId, projectId, max],
  )
  return rows.map((row) => row.key)
}

/** Items of a place by their keys; those that are not there are passed over. */
export const findItems = (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  keys: readonly string[],
): Awaitable<StoredItem[]> =>
  keys.length === 0
    ? []
    : db.all(
        `select ${columns} from knowledge where tenant_id = ? and project_id = ? and ${db.dialect.isAmong('key', 'text')}`,
        [tenantId, projectId, db.dialect.listOf(keys)],
      )

/** The retracted items of a place that name others that they replace. */
export const listRetractedSuperseding = (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  count: number,
): Awaitable<Pick<StoredItem, 'key' | 'meta'>[]> =>
  db.all(
    `select k.key, k.meta from knowledge k
     where k.tenant_id = ? and k.project_id = ? and k.lifecycle = 'retracted' and ${isNotable}
       and k.meta not like '%,"supersedes":[],%' limit cast(? as bigint)`,
    [tenantId, projectId, count],
  )
