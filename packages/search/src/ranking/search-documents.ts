import type { CollectionIndex } from '../index/tenant-index.js'
import {
  comparedFor,
  cosinesOf,
  type DocumentVectors,
  preselect,
  similarDocuments,
  WORD_CANDIDATES,
} from '../semantic/candidates.js'
import type { QueryVector } from '../semantic/query-embedder.js'
import { phraseTest } from '../text/phrase.js'
import type { ParsedQuery } from '../text/query.js'
import { rankHybrid, type Scored, type ScoreParts, scoreByWords } from './hybrid-score.js'
import { type ResolvedQuery, resolveQuery } from './resolve-query.js'
import { wordWeight } from './score.js'
import { type Candidate, type DocumentName, type IndexSearch, nameOf, searchIndex } from './search-index.js'
import type { ScratchPool } from './search-scratch.js'

// Phrases are looked for in the texts themselves, best candidates first, and in no more than these.
const MAX_TEXTS_READ = 1_000
const TEXTS_PER_READ = 50
/** In characters: with long texts fewer are looked at. */
const MAX_LENGTH_READ = 33_554_432

export interface DocumentSearch {
  collection: CollectionIndex
  /** Of nothing where search goes by words alone. */
  queryVector: Promise<QueryVector | undefined>
  query: ParsedQuery
  filter: IndexSearch['filter']
  exactRefs: readonly string[]
  /** The best so many count, */
  top: number
  /** and of these the ones from here to there are wanted. */
  from: number
  to: number
  /** Whether one hit that is right makes no other less probable. */
  isEachItsOwn?: boolean
  /** Whether the hits are to tell what their scores are made of. */
  isExplained: boolean
  scratch: ScratchPool
  /** Whether nobody waits for it any longer. */
  isCancelled(): boolean
  /** By their refs; a phrase stands in one text of a document, such as its title. */
  readTexts(names: readonly DocumentName[]): Promise<ReadonlyMap<string, readonly string[]>>
  readVectors(documents: readonly (DocumentName & { document: number })[]): Promise<DocumentVectors[]>
}

export interface FoundDocument extends DocumentName {
  score: number
  explain?: ScoreParts
}

export interface FoundDocuments {
  hits: FoundDocument[]
  /** How many there are, counted to one more than those that count. */
  total: number
}

type TextFilter = (texts: readonly string[]) => boolean

const phraseFilter = (query: ParsedQuery): TextFilter | undefined => {
  const wanted = query.phrases.map(phraseTest)
  const unwanted = query.excludedPhrases.map(phraseTest)
  if (wanted.length + unwanted.length === 0) return undefined
  return (texts) => wanted.every((occurs) => texts.some(occurs)) && !unwanted.some((occurs) => texts.some(occurs))
}

/** The candidates whose texts pass the filter, up to `most`. */
const filterByText = async (
  { collection: { words }, readTexts, isCancelled }: DocumentSearch,
  passes: TextFilter,
  candidates: readonly Candidate[],
  most: number,
): Promise<Candidate[]> => {
  const kept: Candidate[] = []
  let length = 0
  for (let at = 0; at < candidates.length && kept.length < most; at += TEXTS_PER_READ) {
    if (isCancelled() || length > MAX_LENGTH_READ) break
    const page = candidates.slice(at, at + TEXTS_PER_READ)
    const names = page.map(({ document }) => nameOf(words, document))
    const texts = await readTexts(names)
    for (const each of texts.values()) for (const text of each) length += text.length
    kept.push(...page.filter((_, order) => passes(texts.get(names[order]!.ref) ?? [])))
  }
  return kept.slice(0, most)
}

interface Best {
  best: Scored[]
  total: number
}

const searchWords = async (search: DocumentSearch, query: ResolvedQuery): Promise<Best> => {
  const { collection, filter, exactRefs, top, from, scratch, isEachItsOwn } = search
  const { words } = collection
  const to = Math.min(search.to, top)
  const passes = phraseFilter(search.query)
  if (!passes) {
    // The score of the first hit depends on the second.
    const options = { query, filter, exactRefs, top: Math.max(2, to), countTo: top + 1 }
    const { candidates, matches } = scratch.use((memory) => searchIndex(words, options, memory))
    return { best: scoreByWords(candidates, isEachItsOwn).slice(from, to), total: matches }
  }
  const options = { query, filter, exactRefs, top: MAX_TEXTS_READ, countTo: 0 }
  const { candidates } = scratch.use((memory) => searchIndex(words, options, memory))
  const kept = await filterByText(search, passes, candidates, top + 1)
  return { best: scoreByWords(kept, isEachItsOwn).slice(from, to), total: kept.length }
}

const searchHybrid = async (
  search: DocumentSearch,
  query: ResolvedQuery,
  { vector, foreignness }: QueryVector,
): Promise<Best> => {
  const { collection, filter, exactRefs, top, from, to, scratch, isEachItsOwn } = search
  const { words, signatures } = collection
  const wanted = Math.max(top, WORD_CANDIDATES)
  const passes = phraseFilter(search.query)
  const options: IndexSearch = {
    query,
    filter,
    top: passes ? MAX_TEXTS_READ : wanted,
    countTo: passes ? 0 : top + 1,
    exactRefs,
    findSimilar: similarDocuments(words, signatures, vector),
  }
  const { candidates: found, matches } = scratch.use((memory) => searchIndex(words, options, memory))
  const candidates = passes ? await filterByText(search, passes, found, wanted) : found
  const weight = wordWeight(words.size, foreignness)
  const selected = preselect(words, signatures, vector, candidates, weight, comparedFor(top))
  const names = selected.map(({ document }) => ({ document, ...nameOf(words, document) }))
  const cosines = cosinesOf(vector, await search.readVectors(names))
  const best = rankHybrid(words, selected, cosines, { top, wordWeight: weight, foreignness, isEachItsOwn })
  return { best: best.slice(from, to), total: best.length === top && matches > top ? matches : best.length }
}

/** The words are looked up while the query is embedded elsewhere, and again where the index changed meanwhile. */
const resolve = async ({ collection: { words }, query, queryVector: awaited }: DocumentSearch) => {
  const { generation } = words
  const resolved = resolveQuery(words, query)
  const queryVector = await awaited
  return { query: words.generation === generation ? resolved : resolveQuery(words, query), queryVector }
}

/** The best documents of a collection by their words, and by their vectors where the query has one. */
export const searchDocuments = async (search: DocumentSearch): Promise<FoundDocuments> => {
  const { collection, isExplained } = search
  const { query, queryVector } = await resolve(search)
  const { best, total } = await (queryVector ? searchHybrid(search, query, queryVector) : searchWords(search, query))
  const hits = best.map(({ document, score, ...parts }) => {
    const { ref, scope } = nameOf(collection.words, document)
    return isExplained ? { ref, scope, score, explain: parts } : { ref, scope, score }
  })
  return { hits, total }
}
