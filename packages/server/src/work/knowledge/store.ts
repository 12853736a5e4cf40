import type { Awaitable } from '../../base/awaitable.js'
import type { Dialect } from '../../db/dialect.js'
import type { Sql, Statement, Value } from '../../db/port.js'
import { ofVisibleProject } from '../../db/project-conditions.js'
import { itemRecord, type KnowledgeMeta } from './fields.js'
import { type DerivedColumns, metaSql, parseMeta, type StoredMeta, withoutLinks } from './stored-meta.js'

/** The empty text stands for the tenant as a whole. */
export type ProjectScope = string

export interface StoredItem extends DerivedColumns {
  id: string
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
  /** The id of the item that replaces this one. */
  superseded_by: string | null
  /** How many items this one replaces, or would replace if it were not retracted. */
  superseding: number
}

const headColumns = (dialect: Dialect): string =>
  `k.id, k.project_id, k.key, k.version, ${metaSql(dialect, 'k')} as meta, k.lifecycle, k.superseded_by, k.superseding,
   k.valid_until, k.stale, k.content_by, k.derived_count, k.link_count`

/** Selects items from the table `k`. */
const selectItems = (dialect: Dialect): string => `select ${headColumns(dialect)}, k.content from knowledge k`

export const findItem = (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  key: string,
): Awaitable<StoredItem | undefined> =>
  db.lookup(
    db.statementText(
      'find item',
      () => `${selectItems(db.dialect)} where k.tenant_id = ? and k.project_id = ? and k.key = ?`,
    ),
    [tenantId, projectId, key],
    tenantId,
  )

/** Returns the existing items among these IDs. */
export const findItemsById = (db: Sql, tenantId: string, ids: readonly string[]): Awaitable<StoredItem[]> =>
  ids.length === 0
    ? []
    : db.all(`${selectItems(db.dialect)} where k.tenant_id = ? and ${db.dialect.isAmong('k.id', 'text')}`, [
        tenantId,
        db.dialect.listOf(ids),
      ])

/** Where a key stands, the tenant-wide place first. */
export const placesOfKey = async (db: Sql, tenantId: string, key: string): Promise<ProjectScope[]> => {
  const rows = await db.all<{ project_id: string }>(
    `select project_id from knowledge where tenant_id = ? and key = ? and ${ofVisibleProject('knowledge')}
     order by project_id`,
    [tenantId, key],
  )
  return rows.map(({ project_id }) => project_id)
}

/** The item that has a key in a place, or that last left it. */
export interface Holder {
  project_id: ProjectScope
  item_id: string
}

/** Returns the items with a key in deleted projects. */
export const findHiddenHolders = (db: Sql, tenantId: string, key: string): Awaitable<Holder[]> =>
  db.all(
    `select project_id, id as item_id from knowledge
     where tenant_id = ? and key = ? and not ${ofVisibleProject('knowledge')}`,
    [tenantId, key],
  )

const itemRow = itemRecord.row

/** Columns that `itemRecord` does not describe. */
const stateColumns = [
  'lifecycle',
  'superseded_by',
  'superseding',
  'content_by',
  'stale',
  'derived_count',
  'link_count',
] as const

const stateValues = (item: StoredItem): Value[] => stateColumns.map((name) => item[name])

const insertText = `insert into knowledge (tenant_id, meta, content, ${stateColumns.join(', ')}, ${itemRow.insert.columns})
  values (?, ?, ?, ${stateColumns.map(() => '?').join(', ')}, ${itemRow.insert.marks})`

/** Inserts an item. `meta` is the parsed form of `item.meta`. */
export const insertItem = (tenantId: string, item: StoredItem, meta: KnowledgeMeta): Statement => ({
  text: insertText,
  params: [tenantId, withoutLinks(item.meta), item.content, ...stateValues(item), ...itemRow.insert.values(meta)],
})

const contentText =
  'update knowledge set meta = ?, content = ?, version = ?, updated_at = ? where tenant_id = ? and id = ?'
const updateText = `update knowledge set meta = ?, content = ?, ${stateColumns.map((name) => `${name} = ?`).join(', ')},
  ${itemRow.update.assignments} where tenant_id = ? and id = ?`

/** Few updates set all columns, because SQLite rewrites the index entries of a set column even if it is unchanged. */
export const updateItem = (
  tenantId: string,
  item: StoredItem,
  meta: KnowledgeMeta,
  { isContentAlone }: { isContentAlone: boolean },
): Statement => ({
  text: isContentAlone ? contentText : updateText,
  params: [
    ...[withoutLinks(item.meta), item.content],
    ...(isContentAlone
      ? [item.version, Date.parse(meta.updatedAt)]
      : [...stateValues(item), ...itemRow.update.values(meta)]),
    ...[tenantId, item.id],
  ],
})

export type ItemAddress = Pick<StoredItem, 'id' | 'project_id' | 'key'>

export const replaceTags = (
  tenantId: string,
  { id, project_id, key }: ItemAddress,
  tags: readonly string[],
): Statement[] => [
  { text: 'delete from knowledge_tags where tenant_id = ? and item_id = ?', params: [tenantId, id] },
  ...tags.map((tag) => ({
    text: 'insert into knowledge_tags (tenant_id, item_id, tag, project_id, key) values (?, ?, ?, ?, ?)',
    params: [tenantId, id, tag, project_id, key],
  })),
]

/** Deletes an item, and records its ID and last version under the key that it leaves. */
export const deleteItem = (
  tenantId: string,
  projectKey: string,
  item: ItemAddress & Pick<StoredItem, 'version'>,
): Statement[] => [
  { text: 'delete from knowledge where tenant_id = ? and id = ?', params: [tenantId, item.id] },
  leaveKey(tenantId, projectKey, item),
]

const leaveKey = (
  tenantId: string,
  projectKey: string,
  { id, project_id, key, version }: ItemAddress & Pick<StoredItem, 'version'>,
): Statement => ({
  text: `insert into knowledge_keys (tenant_id, project_id, key, project_key, item_id, last_version)
         values (?, ?, ?, ?, ?, ?)
         on conflict (tenant_id, project_id, key) do update set item_id = excluded.item_id,
           last_version = excluded.last_version`,
  params: [tenantId, project_id, key, projectKey, id, version],
})

/** What is known of an item without its content, but for the content's size. */
export interface ItemHead extends Omit<StoredItem, 'content'> {
  bytes: number
}

/** Changes the key or project of an item, and records its ID and last version under the key that it leaves. */
export const moveItem = (
  tenantId: string,
  fromProjectKey: string,
  before: Omit<StoredItem, 'content'>,
  after: Omit<StoredItem, 'content'>,
  updatedAtMs: number,
): Statement[] => [
  {
    text: `update knowledge set project_id = ?, key = ?, version = ?, updated_at = ?, meta = ?, content_by = ?,
             lifecycle = ?, superseded_by = ?, superseding = ?
           where tenant_id = ? and id = ?`,
    params: [
      ...[after.project_id, after.key, after.version, updatedAtMs, withoutLinks(after.meta), after.content_by],
      ...[after.lifecycle, after.superseded_by, after.superseding, tenantId, after.id],
    ],
  },
  ...(parseMeta(before.meta).tags.length > 0
    ? [
        {
          text: 'update knowledge_tags set project_id = ?, key = ? where tenant_id = ? and item_id = ?',
          params: [after.project_id, after.key, tenantId, after.id],
        },
      ]
    : []),
  leaveKey(tenantId, fromProjectKey, before),
]

/** Replaces the list of items that an item supersedes. */
export const replaceSuperseded = (tenantId: string, id: string, superseded: readonly string[]): Statement[] => [
  { text: 'delete from knowledge_supersedes where tenant_id = ? and item_id = ?', params: [tenantId, id] },
  ...superseded.map((supersededId, place) => ({
    text: 'insert into knowledge_supersedes (tenant_id, item_id, place, superseded_id) values (?, ?, ?, ?)',
    params: [tenantId, id, place, supersededId],
  })),
]

/** Increments `derived_count` of the items linked to these by superseding, because they show the changed keys. */
export const noteRenamed = ({ dialect }: Sql, tenantId: string, ids: readonly string[]): Statement => ({
  text: `update knowledge set derived_count = derived_count + 1 where tenant_id = ? and id in (
           select superseded_id from knowledge_supersedes
             where tenant_id = :tenant and ${dialect.isAmong('item_id', 'text')}
           union select item_id from knowledge_supersedes
             where tenant_id = :tenant and ${dialect.isAmong('superseded_id', 'text')})`,
  params: [tenantId, dialect.listOf(ids), dialect.listOf(ids)],
})

/** Frees the key of an item that is about to be moved, by giving the item a temporary key that is not valid. */
export const parkItem = (tenantId: string, id: string): Statement => ({
  text: `update knowledge set key = '../' || id where tenant_id = ? and id = ?`,
  params: [tenantId, id],
})

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
    `select ${headColumns(db.dialect)}, octet_length(k.content) as bytes from knowledge k
     where k.tenant_id = ? and k.project_id = ? and (k.key = ? or (k.key >= ? and k.key < ?))
     order by k.key limit cast(? as bigint)`,
    // A slash is followed by the digit 0 in the order of bytes; from the key to itself there is nothing.
    [tenantId, projectId, key, isRecursive ? `${key}/` : key, isRecursive ? `${key}0` : key, count],
  )

/** Returns the existing items among these IDs, without their contents. */
export const findHeadsById = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<ItemHead[]> =>
  db.all(
    `select ${headColumns(db.dialect)}, octet_length(k.content) as bytes from knowledge k
     where k.tenant_id = ? and ${db.dialect.isAmong('k.id', 'text')}`,
    [tenantId, db.dialect.listOf(ids)],
  )

/** Returns the ids of the items with these keys in a place. */
export const findIdsAt = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  keys: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await db.all<{ id: string; key: string }>(
    `select id, key from knowledge where tenant_id = ? and project_id = ? and ${db.dialect.isAmong('key', 'text')}`,
    [tenantId, projectId, db.dialect.listOf(keys)],
  )
  return new Map(rows.map(({ id, key }) => [key, id]))
}

/** Returns where these items are. Items of deleted projects are left out. */
export const findAddresses = (db: Sql, tenantId: string, ids: readonly string[]): Awaitable<ItemAddress[]> =>
  ids.length === 0
    ? []
    : db.all(
        `select k.id, k.project_id, k.key from knowledge k
         where k.tenant_id = ? and ${db.dialect.isAmong('k.id', 'text')} and ${ofVisibleProject('k')}`,
        [tenantId, db.dialect.listOf(ids)],
      )

/** Returns the items that last left a key; with a project, only the item that left the key there. */
export const findLastHolders = (
  db: Sql,
  tenantId: string,
  key: string,
  projectId: ProjectScope | undefined,
  count: number,
): Awaitable<Holder[]> =>
  db.all(
    `select project_id, item_id from knowledge_keys
     where tenant_id = ? and key = ?${projectId === undefined ? '' : ' and project_id = ?'}
     order by project_id limit cast(? as bigint)`,
    [tenantId, key, ...(projectId === undefined ? [] : [projectId]), count],
  )

/** Returns the last version used under each key in the projects with this project key, including deleted projects. */
export const findLastVersions = async (
  db: Sql,
  tenantId: string,
  projectKey: string,
  keys: readonly string[],
): Promise<Map<string, number>> => {
  const rows = await db.all<{ key: string; last_version: number }>(
    `select key, max(last_version) as last_version from (
       select h.key, h.last_version from knowledge_keys h
       where h.tenant_id = ? and h.project_key = ? and ${db.dialect.isAmong('h.key', 'text')}
       union all
       select k.key, k.version from projects p join knowledge k on k.tenant_id = :tenant and k.project_id = p.id
       where p.tenant_id = ? and p.key = ? and p.deleting_at is not null and ${db.dialect.isAmong('k.key', 'text')}
     ) versions group by key`,
    [tenantId, projectKey, db.dialect.listOf(keys), tenantId, projectKey, db.dialect.listOf(keys)],
  )
  return new Map(rows.map(({ key, last_version }) => [key, last_version]))
}

/** Returns keys that an item has left and that no other item has left since. */
export const listLeftKeys = async (db: Sql, tenantId: string, itemId: string, count: number): Promise<string[]> => {
  const rows = await db.all<{ key: string }>(
    'select distinct key from knowledge_keys where tenant_id = ? and item_id = ? limit cast(? as bigint)',
    [tenantId, itemId, count],
  )
  return rows.map((row) => row.key)
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
    `${selectItems(db.dialect)} where k.tenant_id = ? and k.project_id = ? and k.key <= ? order by k.key`,
    range,
  )
  await db.runAll([
    {
      text: `insert into knowledge_keys (tenant_id, project_id, key, project_key, item_id, last_version)
             select tenant_id, project_id, key, cast(? as text), id, version from knowledge
             where tenant_id = ? and project_id = ? and key <= ?
             on conflict (tenant_id, project_id, key) do update set item_id = excluded.item_id,
               last_version = excluded.last_version`,
      params: [projectKey, ...range],
    },
    ...['knowledge_tags', 'knowledge_links', 'knowledge_supersedes'].map((table) => ({
      text: `delete from ${table} where tenant_id = ? and ${db.dialect.isAmong('item_id', 'text')}`,
      params: [tenantId, db.dialect.listOf(items.map(({ id }) => id))],
    })),
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
    `with recursive chain (id, depth) as (
       select superseded_by, 1 from knowledge where tenant_id = ? and project_id = ? and key = ?
       union all
       select k.superseded_by, chain.depth + 1 from chain join knowledge k on k.tenant_id = :tenant and k.id = chain.id
       where chain.depth < cast(? as bigint))
     select s.key from chain join knowledge s on s.tenant_id = :tenant and s.id = chain.id order by chain.depth`,
    [tenantId, projectId, key, max],
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
        `${selectItems(db.dialect)}
         where k.tenant_id = ? and k.project_id = ? and ${db.dialect.isAmong('k.key', 'text')}`,
        [tenantId, projectId, db.dialect.listOf(keys)],
      )
