import type { DocumentText, HitWithText, IndexedDocument, IndexFilter, Passage } from 'worklore-search'
import { isoTime } from '../../../base/clock.js'
import type { Json } from '../../../base/json.js'
import type { Db } from '../../../db/port.js'
import type { SearchSource } from '../../search/source.js'
import type { Trust } from '../fields.js'
import type { KnowledgeHit, KnowledgeSearch } from '../schema.js'
import { findItemsById } from '../store.js'
import { type Lifecycle, labelsJson, labelsOf, type StoredMeta, stateOf } from '../stored-meta.js'
import { findItems, listItemNamesAfter, listItemsAfter, type SearchedItem } from './store.js'

/** What a hit shows of an item beside its snippet. */
type StoredHit = Pick<
  SearchedItem,
  'id' | 'key' | 'version' | 'updated_at' | 'lifecycle' | 'valid_until' | 'trust' | 'meta' | 'content'
>

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

/** What a note is about, in a few words: its title, else its heading, or where it has none its key. */
export const subjectOf = (key: string, title: string | null, content: string): string =>
  title ?? (splitHeading(content).heading.trim() || key.replaceAll('/', ' '))

const contentOf = ({ content }: SearchedItem): string => JSON.parse(content) as string

/** Most items are current and unreviewed: these have no facet, and what is rare costs nothing where there is none. */
const facet = {
  lifecycle: (lifecycle: Lifecycle) => `lifecycle:${lifecycle}`,
  trust: (trust: Trust) => `trust:${trust}`,
  tag: (tag: string) => `tag:${tag}`,
}

const facetsOf = ({ lifecycle, trust }: SearchedItem, tags: readonly string[]): string[] => [
  ...(lifecycle === 'current' ? [] : [facet.lifecycle(lifecycle)]),
  ...(trust === 'unreviewed' ? [] : [facet.trust(trust)]),
  ...tags.map(facet.tag),
]

const withdrawn = [facet.lifecycle('superseded'), facet.lifecycle('retracted')]
const reviewed = [facet.trust('verified'), facet.trust('disputed')]

type StateFilter = Pick<IndexFilter, 'facets' | 'withoutFacets' | 'dueBefore' | 'notDueAt' | 'followsSuccessors'>

const stateFilter = (state: NonNullable<KnowledgeSearch['state']>, nowMs: number): StateFilter => {
  switch (state) {
    case 'all':
      return {}
    case 'current':
      return { followsSuccessors: true, withoutFacets: withdrawn, notDueAt: nowMs }
    case 'expired':
      return { withoutFacets: withdrawn, dueBefore: nowMs + 1 }
    case 'superseded':
    case 'retracted':
      return { facets: [[facet.lifecycle(state)]] }
  }
}

/** The filters of a search as the index knows them, at a time. What holds then, unless a state is asked for. */
export const indexFilter = (
  { tag, trust, state = 'current' }: Pick<KnowledgeSearch, 'tag' | 'trust' | 'state'>,
  nowMs: number,
): IndexFilter => {
  const ofState = stateFilter(state, nowMs)
  if (tag === undefined && trust === undefined) return ofState
  const { facets = [], withoutFacets = [] } = ofState
  return {
    ...ofState,
    facets: [
      ...facets,
      ...(tag === undefined ? [] : [[facet.tag(tag)]]),
      ...(trust === undefined || trust === 'unreviewed' ? [] : [[facet.trust(trust)]]),
    ],
    withoutFacets: [...withoutFacets, ...(trust === 'unreviewed' ? reviewed : [])],
  }
}

const indexedItem = (item: SearchedItem): IndexedDocument => {
  const { heading, rest } = splitHeading(contentOf(item))
  const { title, tags } = labelsOf(item.meta)
  const { id, key, project_id, valid_until: due } = item
  const isReplaced = item.lifecycle === 'superseded' && item.superseded_by !== null
  return {
    ref: id,
    name: key,
    scope: project_id,
    title: [key, title !== heading && title, heading, ...tags].filter(Boolean).join('\n'),
    body: rest,
    facets: facetsOf(item, tags),
    ...(due !== null && { dates: { due, updated: item.updated_at } }),
    ...(isReplaced && { successor: item.superseded_by! }),
  }
}

/** A passage as hits show it. */
const shownPassage = ({ headings, ...passage }: Passage) => ({ heading: headings.join(' › ') || null, ...passage })

const renderHit = ({ hit, snippet, passages, text, at, isBrief }: HitWithText): Json<KnowledgeHit> => {
  const item = text.stored as StoredHit
  const rest = {
    score: hit.score,
    foundBy: hit.foundBy,
    projectId: hit.scope || null,
    version: item.version,
    updatedAt: isoTime(item.updated_at),
    state: stateOf(item, at!),
    trust: item.trust,
    snippet,
    passages: passages?.map(shownPassage),
    explain: hit.explain,
  }
  const key = JSON.stringify(item.key)
  const content = isBrief ? '' : `"content":${item.content},`
  return `{"id":"${item.id}","key":${key},${labelsJson(item.meta)},${content}${JSON.stringify(rest).slice(1)}`
}

/** What is embedded before the content. */
const leadOf = (title: string | null): string => (title === null ? '' : `${title}\n`)

const searchedText = (item: SearchedItem): DocumentText => {
  const { title, tags } = labelsOf(item.meta)
  const stored: StoredHit = item
  return {
    ref: item.id,
    title: title === null ? item.key : `${item.key}\n${title}`,
    body: contentOf(item),
    embeddedLead: leadOf(title),
    filtered: { facets: facetsOf(item, tags), due: item.valid_until ?? Number.NaN },
    stored,
  }
}

const embeddedText = (meta: StoredMeta, content: string): string => leadOf(labelsOf(meta).title) + content

/** Provides knowledge items to the search. The scope of a tenant-wide item is empty. */
export const knowledgeSource = (db: Db): SearchSource => {
  const find = (tenantId: string, names: readonly { ref: string }[]) =>
    findItems(
      db.ofTenant(tenantId),
      tenantId,
      names.map(({ ref }) => ref),
    )
  return {
    exactNames: (text) => [text],
    readForIndex: async (tenantId, names) => (await find(tenantId, names)).map(indexedItem),
    readPageForIndex: async (tenantId, after, count, scope) =>
      (await listItemsAfter(db.ofTenant(tenantId), tenantId, after?.ref ?? '', count, scope)).map(indexedItem),
    readTexts: async (tenantId, names) => (await find(tenantId, names)).map(searchedText),
    renderHit,
    readSubjects: (tenantId, after, count) => listItemNamesAfter(db.ofTenant(tenantId), tenantId, after, count),
    readTextToEmbed: async (tenantId, id) => {
      const [item] = await findItemsById(db.ofTenant(tenantId), tenantId, [id])
      return item && embeddedText(item.meta, JSON.parse(item.content) as string)
    },
  }
}
