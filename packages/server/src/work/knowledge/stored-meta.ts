import type { Json } from '../../base/json.js'
import type { Dialect } from '../../db/dialect.js'
import { itemRecord, type KnowledgeMeta } from './fields.js'
import type { ItemVersion, KnowledgeItem, State } from './schema.js'

declare const isStored: unique symbol

/**
 * An item without its content, as the column `meta` holds it: the JSON of the item up to what is read from elsewhere, so
 * that an answer is several columns put together. Only this file knows it; others use its functions.
 */
export type StoredMeta = string & { readonly [isStored]: true }

const memberNames = Object.keys(itemRecord.fields) as (keyof KnowledgeMeta)[]

/** The part of `meta` that its column holds: without the keys of linked items, which can change. */
export const withoutLinks = (meta: StoredMeta): string => meta.slice(0, meta.lastIndexOf(',"supersedes":['))

/** SQL for `meta` of a row of knowledge with this alias: the column and the current keys of linked items. */
export const metaSql = ({ jsonField, joined }: Dialect, k: string): string => `${k}.meta || case
  when ${k}.superseding = 0 and ${k}.superseded_by is null then ',"supersedes":[],"supersededBy":null'
  else ',"supersedes":[' || coalesce((select ${joined('named.key', ',')} from (
      select ${jsonField("s.meta || '}'", 'key')} as key from knowledge_supersedes l
      join knowledge s on s.tenant_id = :tenant and s.id = l.superseded_id
      where l.tenant_id = :tenant and l.item_id = ${k}.id and s.project_id = ${k}.project_id order by l.place) named), '')
    || '],"supersededBy":' || coalesce((select ${jsonField("s.meta || '}'", 'key')} from knowledge s
      where s.tenant_id = :tenant and s.id = ${k}.superseded_by), 'null')
  end`

/** In the order of the schema, whatever that of the object: title and tags are cut out by what is around them. */
export const storedMeta = (meta: KnowledgeMeta): StoredMeta => {
  const ordered: Record<string, unknown> = {}
  for (const name of memberNames) ordered[name] = meta[name]
  return JSON.stringify(ordered).slice(0, -1) as StoredMeta
}

export const parseMeta = (meta: StoredMeta): KnowledgeMeta => JSON.parse(`${meta}}`) as KnowledgeMeta

/** The title and the tags as members of JSON: for hits, of which each would take longer to parse than to find. */
export const labelsJson = (meta: StoredMeta): string =>
  meta.slice(meta.indexOf(',"title":') + 1, meta.indexOf(',"metadata":'))

export const labelsOf = (meta: StoredMeta): Pick<KnowledgeMeta, 'title' | 'tags'> =>
  JSON.parse(`{${labelsJson(meta)}}`) as Pick<KnowledgeMeta, 'title' | 'tags'>

/** Whether an item holds, apart from time. */
export type Lifecycle = 'current' | 'superseded' | 'retracted'

export interface DerivedColumns {
  lifecycle: Lifecycle
  valid_until: number | null
  /** Marks as JSON; null for none. */
  stale: string | null
}

export const hasExpired = ({ valid_until }: Pick<DerivedColumns, 'valid_until'>, nowMs: number): boolean =>
  valid_until !== null && valid_until <= nowMs

export const stateOf = (item: Pick<DerivedColumns, 'lifecycle' | 'valid_until'>, nowMs: number): State =>
  item.lifecycle === 'current' && hasExpired(item, nowMs) ? 'expired' : item.lifecycle

const derivedJson = (item: DerivedColumns, nowMs: number): string =>
  `,"state":"${stateOf(item, nowMs)}","stale":${item.stale ?? '[]'}`

interface StoredText {
  meta: StoredMeta
  /** A JSON string literal. */
  content: string
}

export const itemJson = (item: StoredText & DerivedColumns, nowMs: number): Json<KnowledgeItem> =>
  `${item.meta}${derivedJson(item, nowMs)},"content":${item.content}}`

/** An item as the history keeps it. */
export const versionJson = ({ meta, content }: StoredText): Json<ItemVersion> => `${meta},"content":${content}}`

export const truncatedItemJson = (
  item: { meta: StoredMeta } & DerivedColumns,
  nowMs: number,
): Json<Omit<KnowledgeItem, 'content'> & { truncated: true }> =>
  `${item.meta}${derivedJson(item, nowMs)},"truncated":true}`

/** The same in SQL, at a time that is its only parameter. A constant takes the store a fraction of the time. */
const derivedSql = `case
  when lifecycle = 'current' and valid_until is null and stale is null then ',"state":"current","stale":[]'
  else ',"state":"' ||
    case when lifecycle = 'current' and valid_until <= cast(? as bigint) then 'expired' else lifecycle end ||
    '","stale":' || coalesce(stale, '[]')
  end`

/** SQL for the JSON of a row of knowledge `k`, with or without the content. Its only parameter is a time. */
export const rowJson = (dialect: Dialect, isContentWanted: boolean): string =>
  `${metaSql(dialect, 'k')} || ${derivedSql} || ${isContentWanted ? `',"content":' || content || '}'` : "'}'"}`

/** The fields of an item that a change can set. The caller updates the values that depend on other items. */
export type ItemFields = Pick<KnowledgeMeta, keyof typeof itemRecord.initial>

export const parseVersion = (json: Json<ItemVersion>): ItemVersion =>
  ({ ...itemRecord.initial, ...(JSON.parse(json) as object) }) as ItemVersion

/** An old version as an answer shows it: in the state that it was in, or would have expired to. */
export const oldVersionJson = (json: Json<ItemVersion>, nowMs: number): Json<KnowledgeItem> => {
  const { content, ...meta } = parseVersion(json)
  return itemJson(
    { meta: storedMeta(meta), content: JSON.stringify(content), ...derivedColumnsOf(meta), stale: null },
    nowMs,
  )
}

/** What of an item stands in columns of its own. */
export const derivedColumnsOf = ({
  retraction,
  supersededBy,
  validUntil,
}: KnowledgeMeta): Pick<DerivedColumns, 'lifecycle' | 'valid_until'> => ({
  lifecycle: retraction ? 'retracted' : supersededBy === null ? 'current' : 'superseded',
  valid_until: validUntil === null ? null : Date.parse(validUntil),
})
