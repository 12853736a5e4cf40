import { areChainsFollowed } from '../index/filter.js'
import { NONE } from '../index/string-table.js'
import type { CollectionIndex } from '../index/tenant-index.js'
import { termStatisticsOf } from '../index/term-statistics.js'
import type { WordIndex } from '../index/word-index.js'
import {
  comparedFor,
  type DocumentVectors,
  nearnessTo,
  preselect,
  similarDocuments,
  WORD_CANDIDATES,
} from '../semantic/candidates.js'
import type { QueryVector } from '../semantic/query-embedder.js'
import { phraseTest } from '../text/phrase.js'
import type { ParsedQuery } from '../text/query.js'
import { createSlice } from '../time-slicing.js'
import type { SearchedTerms } from './fuzzy-terms.js'
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

interface DocumentSearch {
  collection: CollectionIndex
  /** Of nothing where search goes by words alone. */
  queryVector: Promise<QueryVector | undefined>
  query: ParsedQuery
  filter: IndexSearch['filter']
  exactNames: readonly string[]
  /** The best so many count, */
  top: number
  /** and of these the ones from here to there are wanted. */
  from: number
  to: number
  /** Whether the hits are to tell what their scores are made of. */
  isExplained: boolean
  /** Whether they are to tell how near each window of theirs is to the query. */
  areWindowsWanted?: boolean
  scratch: ScratchPool
  /** Whether nobody waits for it any longer. */
  isCancelled(): boolean
  /** By their refs; a phrase stands in one text of a document, such as its title. */
  readTexts(names: readonly DocumentName[]): Promise<ReadonlyMap<string, readonly string[]>>
  readVectors(documents: readonly (DocumentName & { document: number })[]): Promise<DocumentVectors[]>
}

export interface FoundDocument extends DocumentName {
  score: number
  /** The ref of the document that matched, where this one has replaced it. */
  foundBy?: string
  explain?: ScoreParts
  /** Of the windows of the text that is embedded, in their order. */
  cosines?: readonly number[]
}

interface FoundDocuments {
  hits: FoundDocument[]
  /** How many there are, counted to one more than those that count. */
  total: number
  /** Whether a document was left out because the one that replaced it is not in the index yet. */
  isOutdated: boolean
  /** Stems that were found in place of those of the query. */
  related: ReadonlyMap<string, string>
  searched: SearchedTerms
}

type TextFilter = (texts: readonly string[]) => boolean

const phraseFilter = (query: ParsedQuery): TextFilter | undefined => {
  const { phrases, excludedPhrases } = query
  return phrases.length + excludedPhrases.length === 0 ? undefined : phraseTest(phrases, excludedPhrases)
}

interface MatchName extends DocumentName {
  name: string
  /** The document that is answered, which several may have in common. */
  answer: number
  /** Its ref, where it is another one. */
  answerRef: string | undefined
}

/** By their numbers, which a change may take from them: they are named before anything is waited for. */
type Names = ReadonlyMap<number, MatchName>

/** The document that is answered where one matches. */
const answerFinder = (words: WordIndex, filter: IndexSearch['filter']): ((document: number) => number) => {
  if (!areChainsFollowed(words, filter)) return (document) => document
  return (document) => {
    const end = words.documents.endOf(document)
    return end === NONE ? document : end
  }
}

const namesOf = (
  words: WordIndex,
  all: readonly { document: number }[],
  answerOf: (document: number) => number,
): Names =>
  new Map(
    all.map(({ document }) => {
      const answer = answerOf(document)
      const answerRef = answer === document ? undefined : nameOf(words, answer).ref
      const { ref, scope } = nameOf(words, document)
      return [document, { ref, scope, name: words.documents.nameText(document), answer, answerRef }]
    }),
  )

/** The first candidate of each answer. */
const onePerAnswer = (candidates: readonly Candidate[], answerOf: (document: number) => number): Candidate[] => {
  const answers = new Set<number>()
  return candidates.filter(({ document }) => {
    const answer = answerOf(document)
    const isFirst = !answers.has(answer)
    answers.add(answer)
    return isFirst
  })
}

/** The candidates whose texts pass the filter, the first of each answer, up to `most`. */
const filterByText = async (
  { readTexts, isCancelled }: DocumentSearch,
  passes: TextFilter,
  candidates: readonly Candidate[],
  names: Names,
  most: number,
): Promise<Candidate[]> => {
  const kept: Candidate[] = []
  const answers = new Set<number>()
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
      const { ref, answer } = names.get(candidate.document)!
      if (answers.has(answer) || !passes(texts.get(ref) ?? [])) continue
      answers.add(answer)
      kept.push(candidate)
    }
  }
  return kept.slice(0, most)
}

interface Best {
  best: Scored[]
  names: Names
  total: number
  isOutdated: boolean
  /** Of the windows of a document that was found. */
  cosinesOf?(document: number): readonly number[]
}

const searchWords = async (search: DocumentSearch, words: WordIndex, query: ResolvedQuery): Promise<Best> => {
  const { filter, exactNames, top, from, scratch } = search
  const to = Math.min(search.to, top)
  const passes = phraseFilter(search.query)
  const answerOf = answerFinder(words, filter)
  if (!passes) {
    const options = { query, filter, exactNames, top: to, countTo: top + 1, areChainsJoined: true }
    const { candidates, matches, isOutdated } = scratch.use((memory) => searchIndex(words, options, memory))
    const best = scoreByWords(onePerAnswer(candidates, answerOf)).slice(from, to)
    return { best, names: namesOf(words, best, answerOf), total: matches, isOutdated }
  }
  const options = { query, filter, exactNames, top: MAX_TEXTS_READ, countTo: 0 }
  const { candidates, isOutdated } = scratch.use((memory) => searchIndex(words, options, memory))
  const names = namesOf(words, candidates, answerOf)
  const kept = await filterByText(search, passes, candidates, names, top + 1)
  return { best: scoreByWords(kept).slice(from, to), names, total: kept.length, isOutdated }
}

const isOneWord = ({ words }: ParsedQuery): boolean => words.filter(({ isVariant }) => !isVariant).length === 1

const searchHybrid = async (
  search: DocumentSearch,
  { words, signatures, vectors }: CollectionIndex,
  query: ResolvedQuery,
  { vector, outOfVocabularyShare }: QueryVector,
): Promise<Best> => {
  const { filter, exactNames, top, from, to, scratch } = search
  const candidateCount = Math.max(top, WORD_CANDIDATES)
  const passes = phraseFilter(search.query)
  const answerOf = answerFinder(words, filter)
  const options: IndexSearch = {
    query,
    filter,
    top: passes ? MAX_TEXTS_READ : candidateCount,
    countTo: passes ? 0 : top + 1,
    exactNames,
    // Phrases are looked for in every text.
    areChainsJoined: passes === undefined,
    findSimilar: similarDocuments(words, signatures, vector, answerOf),
  }
  const { candidates: found, matches, isOutdated } = scratch.use((memory) => searchIndex(words, options, memory))
  const namesToRead = passes && namesOf(words, found, answerOf)
  const candidates = namesToRead ? await filterByText(search, passes, found, namesToRead, candidateCount) : found
  const weight = wordWeight(Math.max(words.size, signatures.size), outOfVocabularyShare)
  const answerNow = namesToRead ? (document: number) => namesToRead.get(document)!.answer : answerOf
  const selected = preselect(words, signatures, vector, candidates, weight, comparedFor(top), answerNow)
  const names = namesToRead ?? namesOf(words, selected, answerOf)
  const wanted = selected.map(({ document }) => ({ document, refNumber: words.documents.refOf(document) }))
  const compared = await vectors.read(wanted, (unknown) =>
    search.readVectors(unknown.map(({ document }) => ({ document, ...names.get(document)! }))),
  )
  const nearness = nearnessTo(vector, compared)
  const best = rankHybrid(words, selected, nearness, {
    top,
    wordWeight: weight,
    traits: { outOfVocabularyShare, isOneWord: isOneWord(search.query) },
    answerOf: (document) => names.get(document)!.answer,
  })
  const total = best.length === top && matches > top ? matches : best.length
  const cosinesOfDocument = (document: number) => nearness.get(document)?.windows ?? []
  return { best: best.slice(from, to), names, total, isOutdated, cosinesOf: cosinesOfDocument }
}

const partsOf = ({ document: _, score: __, ...parts }: Scored): ScoreParts => parts

/** The best documents of a collection by their words, and by their vectors where the query has one. */
export const searchDocuments = async (search: DocumentSearch): Promise<FoundDocuments> => {
  const { collection, isExplained, areWindowsWanted = false } = search
  // The words are looked up while the query is embedded elsewhere, and again where the index changed meanwhile.
  const resolvedIn = collection.words
  const { generation } = resolvedIn
  const resolve = (index: WordIndex) => resolveQuery(index, search.query, termStatisticsOf(index, search.filter))
  const resolved = resolve(resolvedIn)
  const queryVector = await search.queryVector
  const { words, signatures, vectors } = collection
  const isUnchanged = words === resolvedIn && words.generation === generation
  const query = isUnchanged ? resolved : resolve(words)
  const { best, names, total, isOutdated, cosinesOf } = await (queryVector
    ? searchHybrid(search, { words, signatures, vectors }, query, queryVector)
    : searchWords(search, words, query))
  const hits = best.map((scored) => {
    const { ref, scope, name, answerRef } = names.get(scored.document)!
    const hit: FoundDocument = { ref: answerRef ?? ref, scope, score: scored.score }
    if (answerRef !== undefined) hit.foundBy = name
    if (isExplained) hit.explain = partsOf(scored)
    // Those of the document that matched say nothing about the one that replaced it.
    if (areWindowsWanted && cosinesOf && answerRef === undefined) hit.cosines = cosinesOf(scored.document)
    return hit
  })
  return { hits, total, isOutdated, related: query.related, searched: query.searched }
}
