import type { CollectionIndex } from '../index/tenant-index.js'
import type { WordIndex } from '../index/word-index.js'
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
import { createSlice } from '../time-slicing.js'
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
  const { phrases, excludedPhrases } = query
  return phrases.length + excludedPhrases.length === 0 ? undefined : phraseTest(phrases, excludedPhrases)
}

/** By their numbers, which a change may take from them: they are named before anything is waited for. */
type Names = ReadonlyMap<number, DocumentName>

const namesOf = (words: WordIndex, all: readonly { document: number }[]): Names =>
  new Map(all.map(({ document }) => [document, nameOf(words, document)]))

/** The candidates whose texts pass the filter, up to `most`. */
const filterByText = async (
  { readTexts, isCancelled }: DocumentSearch,
  passes: TextFilter,
  candidates: readonly Candidate[],
  names: Names,
  most: number,
): Promise<Candidate[]> => {
  const kept: Candidate[] = []
  const slice = createSlice()
  let length = 0
  for (let at = 0; at < candidates.length && kept.length < most; at += TEXTS_PER_READ) {
    if (length > MAX_LENGTH_READ) break
    const page = candidates.slice(at, at + TEXTS_PER_READ)
    const texts = await readTexts(page.map(({ document }) => names.get(document)!))
    for (const each of texts.values()) for (const text of each) length += text.length
    for (const candidate of page) {
      if (slice.isOver()) await slice.pause()
      if (isCancelled()) return []
      if (passes(texts.get(names.get(candidate.document)!.ref) ?? [])) kept.push(candidate)
    }
  }
  return kept.slice(0, most)
}

interface Best {
  best: Scored[]
  names: Names
  total: number
}

const searchWords = async (search: DocumentSearch, words: WordIndex, query: ResolvedQuery): Promise<Best> => {
  const { filter, exactRefs, top, from, scratch, isEachItsOwn } = search
  const to = Math.min(search.to, top)
  const passes = phraseFilter(search.query)
  if (!passes) {
    // The score of the first hit depends on the second.
    const options = { query, filter, exactRefs, top: Math.max(2, to), countTo: top + 1 }
    const { candidates, matches } = scratch.use((memory) => searchIndex(words, options, memory))
    const best = scoreByWords(candidates, isEachItsOwn).slice(from, to)
    return { best, names: namesOf(words, best), total: matches }
  }
  const options = { query, filter, exactRefs, top: MAX_TEXTS_READ, countTo: 0 }
  const { candidates } = scratch.use((memory) => searchIndex(words, options, memory))
  const names = namesOf(words, candidates)
  const kept = await filterByText(search, passes, candidates, names, top + 1)
  return { best: scoreByWords(kept, isEachItsOwn).slice(from, to), names, total: kept.length }
}

const searchHybrid = async (
  search: DocumentSearch,
  { words, signatures }: CollectionIndex,
  query: ResolvedQuery,
  { vector, outOfVocabularyShare }: QueryVector,
): Promise<Best> => {
  const { filter, exactRefs, top, from, to, scratch, isEachItsOwn } = search
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
  const namesToRead = passes && namesOf(words, found)
  const candidates = namesToRead ? await filterByText(search, passes, found, namesToRead, wanted) : found
  const weight = wordWeight(words.size, outOfVocabularyShare)
  const selected = preselect(words, signatures, vector, candidates, weight, comparedFor(top))
  const names = namesToRead ?? namesOf(words, selected)
  const documents = selected.map(({ document }) => ({ document, ...names.get(document)! }))
  const cosines = cosinesOf(vector, await search.readVectors(documents))
  const best = rankHybrid(words, selected, cosines, { top, wordWeight: weight, outOfVocabularyShare, isEachItsOwn })
  return { best: best.slice(from, to), names, total: best.length === top && matches > top ? matches : best.length }
}

/** The best documents of a collection by their words, and by their vectors where the query has one. */
export const searchDocuments = async (search: DocumentSearch): Promise<FoundDocuments> => {
  const { collection, isExplained } = search
  // The words are looked up while the query is embedded elsewhere, and again where the index changed meanwhile.
  const resolvedIn = collection.words
  const { generation } = resolvedIn
  const resolved = resolveQuery(resolvedIn, search.query)
  const queryVector = await search.queryVector
  const { words, signatures } = collection
  const isUnchanged = words === resolvedIn && words.generation === generation
  const query = isUnchanged ? resolved : resolveQuery(words, search.query)
  const { best, names, total } = await (queryVector
    ? searchHybrid(search, { words, signatures }, query, queryVector)
    : searchWords(search, words, query))
  const hits = best.map(({ document, score, ...parts }) => {
    const { ref, scope } = names.get(document)!
    return isExplained ? { ref, scope, score, explain: parts } : { ref, scope, score }
  })
  return { hits, total }
}
