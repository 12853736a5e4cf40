import type { Json } from '../../base/json.js'
import type { KnowledgeItem, KnowledgeMeta } from './schema.js'

declare const isStored: unique symbol

/**
 * An item without its content, as the column `meta` holds it: the JSON of the item up to the content, so that an answer is
 * two columns put together. Only this file knows it; others use its functions.
 */
export type StoredMeta = string & { readonly [isStored]: true }

export const storedMeta = (meta: KnowledgeMeta): StoredMeta => JSON.stringify(meta).slice(0, -1) as StoredMeta

export const parseMeta = (meta: StoredMeta): KnowledgeMeta => JSON.parse(`${meta}}`) as KnowledgeMeta

/** The content is a JSON string literal. */
export const itemJson = ({ meta, content }: { meta: StoredMeta; content: string }): Json<KnowledgeItem> =>
  `${meta},"content":${content}}`

export const truncatedItemJson = (meta: StoredMeta): Json<KnowledgeMeta & { truncated: true }> =>
  `${meta},"truncated":true}`

/** SQL for the JSON of a row. */
export const jsonOfRow = {
  item: `meta || ',"content":' || content || '}'`,
  meta: "meta || '}'",
} as const
