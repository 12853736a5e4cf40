import type { DocumentName, HitWithText, IndexedDocument } from 'worklore-search'
import { isoTime } from '../../base/clock.js'
import { type Json, joinObjects } from '../../base/json.js'
import type { Db } from '../../db/port.js'
import type { SearchSource } from '../search/source.js'
import type { KnowledgeHit } from './schema.js'
import { findItems, type ItemPlace, listItemNamesAfter, listItemsAfter, type SearchedItem } from './search-store.js'

/** What a hit shows of an item beside its snippet. */
interface StoredHit {
  updatedAtMs: number
  /** A JSON string literal, as it is stored. */
  content: string
}

// A longer line is a paragraph: weighing it twice would only weigh its text twice.
const MAX_HEADING_LENGTH = 300

/** A text's first line, the signs of a heading taken off, apart from what follows it. */
const splitHeading = (text: string): { heading: string; rest: string } => {
  const body = text.trimStart()
  const end = body.indexOf('\n')
  const line = end === -1 ? body : body.slice(0, end)
  if (line.length > MAX_HEADING_LENGTH) return { heading: '', rest: body }
  return { heading: line.replace(/^#+\s+/, ''), rest: end === -1 ? '' : body.slice(end + 1) }
}

/** What a note is about, in a few words: its heading, or where it has none its key. */
export const subjectOf = (key: string, content: string): string => {
  const { heading } = splitHeading(content)
  return heading.trim() || key.replaceAll('/', ' ')
}

/** The key first, so that ties go by key and a prefix of the key is one of the ref; no key holds a NUL. */
export const refOf = (key: string, projectId: string): string => `${key}\0${projectId}`

const keyOfRef = (ref: string): string => ref.slice(0, ref.indexOf('\0'))

const placeOf = ({ ref, scope }: DocumentName): ItemPlace => ({ project_id: scope, key: keyOfRef(ref) })

const contentOf = ({ content }: SearchedItem): string => JSON.parse(content) as string

const indexedItem = (item: SearchedItem): IndexedDocument => {
  const { heading, rest } = splitHeading(contentOf(item))
  return {
    ref: refOf(item.key, item.project_id),
    scope: item.project_id,
    title: `${item.key}\n${heading}`,
    body: rest,
  }
}

const renderHit = ({ ref, scope, score, snippet, explain, text }: HitWithText): Json<KnowledgeHit> => {
  const { content, updatedAtMs } = text.stored as StoredHit
  const rest = { score, projectId: scope || null, updatedAt: isoTime(updatedAtMs), snippet, explain }
  return joinObjects(`{"key":${JSON.stringify(keyOfRef(ref))},"content":${content}}`, JSON.stringify(rest))
}

const start: ItemPlace = { project_id: '', key: '' }

/** What search is handed of knowledge items; the scope of one that is tenant-wide is empty. */
export const knowledgeSource = (db: Db): SearchSource => ({
  refOf: ({ subject, project_id }) => refOf(subject, project_id),
  subjectOf: keyOfRef,
  exactRefs: (text, scopes) =>
    scopes()
      .toSorted()
      .map((scope) => refOf(text, scope)),
  readForIndex: async (tenantId, names) =>
    (await findItems(db.ofTenant(tenantId), tenantId, names.map(placeOf))).map(indexedItem),
  readPageForIndex: async (tenantId, after, count) =>
    (await listItemsAfter(db.ofTenant(tenantId), tenantId, after ? placeOf(after) : start, count)).map(indexedItem),
  readTexts: async (tenantId, names) =>
    (await findItems(db.ofTenant(tenantId), tenantId, names.map(placeOf))).map((item) => {
      const stored: StoredHit = { updatedAtMs: item.updated_at, content: item.content }
      return { ref: refOf(item.key, item.project_id), title: item.key, body: contentOf(item), stored }
    }),
  renderHit,
  readSubjects: (tenantId, after, count) =>
    listItemNamesAfter(
      db.ofTenant(tenantId),
      tenantId,
      after ? { project_id: after.project_id, key: after.subject } : start,
      count,
    ),
  readTextToEmbed: async (tenantId, { project_id, subject }) => {
    const [item] = await findItems(db.ofTenant(tenantId), tenantId, [{ project_id, key: subject }])
    return item && contentOf(item)
  },
})
