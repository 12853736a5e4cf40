import { stillPasses } from '../index/filter.js'
import { collectionOf, type TenantIndex } from '../index/tenant-index.js'
import { passageFinder } from '../passages/passage-finder.js'
import { searchDocuments } from '../ranking/search-documents.js'
import type { ScratchPool } from '../ranking/search-scratch.js'
import type { QueryVector } from '../semantic/query-embedder.js'
import { literalQuery, parseQuery } from '../text/query.js'
import type { Highlighter } from '../text/snippet.js'
import { createSlice } from '../time-slicing.js'
import type { DocumentText, SearchPorts } from './ports.js'
import type { Hit, Search } from './protocol.js'

interface SearchTools {
  ports: SearchPorts
  scratch: ScratchPool
  highlighter: Highlighter
  /** Whether nobody waits for the search any longer. */
  isCancelled(): boolean
}

/** Texts of hits can be a megabyte each: an answer ends where it has grown this long. */
const MAX_ANSWER_LENGTH = 8_388_608
const TEXTS_PER_READ = 20

interface FoundInCollection {
  hits: Hit[] | string[]
  total: number
  nextDue: number | undefined
  /**
   * Whether a hit was gone by the time that its text was read: deleted, stored under another ref, or no longer what the
   * filter asks for.
   */
  isOutdated: boolean
}

const NOTHING: FoundInCollection = { hits: [], total: 0, nextDue: undefined, isOutdated: false }

/** One search of a tenant's collection. */
export const searchCollection = async (
  { ports, scratch, highlighter, isCancelled }: SearchTools,
  tenantId: string,
  index: TenantIndex,
  search: Search,
  queryVector: Promise<QueryVector | undefined>,
): Promise<FoundInCollection> => {
  const {
    collection: name,
    text,
    isLiteral = false,
    filter,
    top,
    from,
    to,
    minScore = 0,
    isExplained = false,
    passages: passageCount,
    isBrief = false,
    at,
  } = search
  const source = ports.collections.get(name)
  if (!source) throw new Error(`There is no collection "${name}"`)
  const collection = collectionOf(index, name)
  const query = isLiteral ? literalQuery(text) : parseQuery(text)
  if (isCancelled()) return NOTHING
  const { documents } = collection.words
  const nextDue = at === undefined || !documents.hasDates ? undefined : documents.nextDueAfter(at)
  const {
    hits,
    total,
    isOutdated: lacksSuccessor,
    related,
    searched,
  } = await searchDocuments({
    collection,
    queryVector,
    query,
    filter,
    exactNames: isLiteral ? [] : source.exactNames(query.text),
    top,
    from,
    to,
    isExplained,
    areWindowsWanted: passageCount !== undefined && passageCount > 0,
    scratch,
    isCancelled,
    readTexts: async (names) => {
      const texts = await source.readTexts(tenantId, names)
      return new Map(texts.map(({ ref, title, body }) => [ref, [title, body]]))
    },
    readVectors: async (documents) => ports.vectors?.read(tenantId, name, documents) ?? [],
  })
  const good = hits.filter(({ score }) => score >= minScore)
  if (!search.isRendered) return { hits: good, total, nextDue, isOutdated: lacksSuccessor }
  const { renderHit } = source
  if (!renderHit) throw new Error(`The collection "${name}" does not render its hits`)
  const highlight = highlighter(query, related)
  const passagesOf = passageCount === undefined ? undefined : passageFinder(searched, query, passageCount)
  const rendered: string[] = []
  let length = 0
  let isOutdated = lacksSuccessor
  const slice = createSlice()
  for (let start = 0; start < good.length; start += TEXTS_PER_READ) {
    const page = good.slice(start, start + TEXTS_PER_READ)
    const texts = new Map<string, DocumentText>()
    for (const document of await source.readTexts(tenantId, page)) texts.set(document.ref, document)
    for (const hit of page) {
      if (slice.isOver()) await slice.pause()
      if (isCancelled()) return NOTHING
      const text = texts.get(hit.ref)
      if (!text || (text.filtered && !stillPasses(filter, text.filtered))) {
        isOutdated = true
        continue
      }
      length += isBrief ? 0 : text.body.length
      if (length > MAX_ANSWER_LENGTH && rendered.length > 0) return { hits: rendered, total, nextDue, isOutdated }
      const { matches, snippetOf } = highlight(text.body)
      const passages = passagesOf?.(hit, text, matches)
      rendered.push(renderHit({ hit, text, snippet: snippetOf(passages?.[0]), passages, at, isBrief }))
    }
  }
  return { hits: rendered, total, nextDue, isOutdated }
}
