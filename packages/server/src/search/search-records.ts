import type { Sql } from '../db/port.js'
import { type Scored, type ScoreParts, scoredByMeaning, scoredByWords } from './fuse.js'
import { CANDIDATES_BY_WORDS, comparedFor, cosinesOf, type Meaning, mostPromising, nearDocuments } from './meaning.js'
import { phraseTest } from './phrase.js'
import type { ParsedQuery } from './query.js'
import { type ResolvedQuery, resolveQuery } from './resolve.js'
import { meaningFloor } from './score.js'
import { type Candidate, type DocumentName, type IndexSearch, nameOf, searchIndex } from './search-index.js'
import type { SignatureIndex } from './signature-index.js'
import type { EmbeddedKind } from './vectors/subject.js'
import type { WordIndex } from './word-index.js'

// Phrases are looked for in the texts themselves, best candidates first, and in no more than these.
const MAX_TEXTS_READ = 1_000
const TEXTS_PER_READ = 50

export interface RecordSearch {
  db: Sql
  tenantId: string
  kind: EmbeddedKind
  index: WordIndex
  signatures: SignatureIndex
  /** Of nothing where search goes by words alone. */
  meaning: Promise<Meaning | undefined>
  query: ParsedQuery
  filter: IndexSearch['filter']
  exactRefs: readonly string[]
  /** The best so many count, */
  top: number
  /** and of these the ones from here to there are wanted. */
  from: number
  to: number
  /** Whether the hits are to tell what their scores are made of. */
  isExplained: boolean
  /** By their refs; a phrase stands in one text of a record, such as its title. */
  textsOf(names: readonly DocumentName[]): Promise<ReadonlyMap<string, readonly string[]>>
}

export interface FoundRecord extends DocumentName {
  score: number
  explain?: ScoreParts
}

export interface FoundRecords {
  hits: FoundRecord[]
  /** How many there are, counted to one more than those that count. */
  total: number
}

type Obeys = (texts: readonly string[]) => boolean

const phraseRule = (query: ParsedQuery): Obeys | undefined => {
  const wanted = query.phrases.map(phraseTest)
  const unwanted = query.excludedPhrases.map(phraseTest)
  if (wanted.length + unwanted.length === 0) return undefined
  return (texts) => wanted.every((occurs) => texts.some(occurs)) && !unwanted.some((occurs) => texts.some(occurs))
}

/** The candidates that the query's phrases allow, up to `most`. */
const obeying = async (
  { index, textsOf }: RecordSearch,
  obeys: Obeys,
  candidates: readonly Candidate[],
  most: number,
): Promise<Candidate[]> => {
  const kept: Candidate[] = []
  for (let at = 0; at < candidates.length && kept.length < most; at += TEXTS_PER_READ) {
    const some = candidates.slice(at, at + TEXTS_PER_READ)
    const names = some.map(({ document }) => nameOf(index, document))
    const texts = await textsOf(names)
    kept.push(...some.filter((_, at) => obeys(texts.get(names[at]!.ref) ?? [])))
  }
  return kept.slice(0, most)
}

interface Best {
  best: Scored[]
  total: number
}

const byWords = async (search: RecordSearch, query: ResolvedQuery): Promise<Best> => {
  const { index, filter, exactRefs, top, from } = search
  const to = Math.min(search.to, top)
  const obeys = phraseRule(search.query)
  if (!obeys) {
    const { candidates, matches } = searchIndex(index, { query, filter, exactRefs, top: to, countTo: top + 1 })
    return { best: candidates.slice(from, to).map(scoredByWords), total: matches }
  }
  const { candidates } = searchIndex(index, { query, filter, exactRefs, top: MAX_TEXTS_READ, countTo: 0 })
  const kept = await obeying(search, obeys, candidates, top + 1)
  return { best: kept.slice(from, to).map(scoredByWords), total: kept.length }
}

const byWordsAndMeaning = async (search: RecordSearch, query: ResolvedQuery, meaning: Meaning): Promise<Best> => {
  const { db, tenantId, kind, index, signatures, filter, exactRefs, top, from, to } = search
  const wanted = Math.max(top, CANDIDATES_BY_WORDS)
  const obeys = phraseRule(search.query)
  const { candidates: found, matches } = searchIndex(index, {
    query,
    filter,
    top: obeys ? MAX_TEXTS_READ : wanted,
    countTo: obeys ? 0 : top + 1,
    exactRefs,
    near: nearDocuments(index, signatures, meaning),
  })
  const candidates = obeys ? await obeying(search, obeys, found, wanted) : found
  const promising = mostPromising(index, signatures, meaning, candidates, comparedFor(top))
  const cosines = await cosinesOf(db, { tenantId, model: meaning.model }, kind, index, promising, meaning)
  const best = scoredByMeaning(index, promising, cosines, meaningFloor(index.size)).slice(0, top)
  return { best: best.slice(from, to), total: best.length === top && matches > top ? matches : best.length }
}

/** The words are looked up while the query is embedded elsewhere, and again where the index changed meanwhile. */
const resolve = async ({ index, query, meaning: awaited }: RecordSearch) => {
  const { state } = index
  const resolved = resolveQuery(index, query)
  const meaning = await awaited
  return { query: index.state === state ? resolved : resolveQuery(index, query), meaning }
}

/** The best records of one kind by their words, and by their meaning where the query has one. */
export const searchRecords = async (search: RecordSearch): Promise<FoundRecords> => {
  const { index, isExplained } = search
  const { query, meaning } = await resolve(search)
  const { best, total } = await (meaning ? byWordsAndMeaning(search, query, meaning) : byWords(search, query))
  const hits = best.map(({ document, score, ...parts }) => {
    const { ref, scope } = nameOf(index, document)
    return isExplained ? { ref, scope, score, explain: parts } : { ref, scope, score }
  })
  return { hits, total }
}
