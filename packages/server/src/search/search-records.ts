import type { Sql } from '../db/port.js'
import { type Scored, scoredByMeaning, scoredByWords } from './fuse.js'
import { CANDIDATES_BY_WORDS, comparedFor, cosinesOf, type Meaning, mostPromising, nearDocuments } from './meaning.js'
import { phraseTest } from './phrase.js'
import type { ParsedQuery } from './query.js'
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
  /** Undefined where search goes by words alone. */
  meaning: Meaning | undefined
  query: ParsedQuery
  filter: IndexSearch['filter']
  exactRefs: readonly string[]
  /** The best so many count, */
  top: number
  /** and of these the ones from here to there are wanted. */
  from: number
  to: number
  /** By their refs. */
  textsOf(names: readonly DocumentName[]): Promise<ReadonlyMap<string, string>>
}

export type FoundRecord = DocumentName & Scored

export interface FoundRecords {
  hits: FoundRecord[]
  total: number
}

const phraseRule = (query: ParsedQuery): ((text: string) => boolean) | undefined => {
  const wanted = query.phrases.map(phraseTest)
  const unwanted = query.excludedPhrases.map(phraseTest)
  if (wanted.length + unwanted.length === 0) return undefined
  return (text) => wanted.every((occurs) => occurs(text)) && !unwanted.some((occurs) => occurs(text))
}

/** The candidates that the query's phrases allow, up to `most`. */
const obeying = async (
  { index, textsOf }: RecordSearch,
  obeys: (text: string) => boolean,
  candidates: readonly Candidate[],
  most: number,
): Promise<Candidate[]> => {
  const kept: Candidate[] = []
  for (let at = 0; at < candidates.length && kept.length < most; at += TEXTS_PER_READ) {
    const some = candidates.slice(at, at + TEXTS_PER_READ)
    const names = some.map(({ document }) => nameOf(index, document))
    const texts = await textsOf(names)
    kept.push(...some.filter((_, at) => obeys(texts.get(names[at]!.ref) ?? '')))
  }
  return kept.slice(0, most)
}

const candidatesOf = async (search: RecordSearch): Promise<Candidate[]> => {
  const { index, signatures, meaning, query, filter, exactRefs, top } = search
  const wanted = meaning ? Math.max(top, CANDIDATES_BY_WORDS) : top
  const obeys = phraseRule(query)
  const found = searchIndex(index, {
    query,
    filter,
    top: obeys ? Math.max(wanted, MAX_TEXTS_READ) : wanted,
    exactRefs,
    ...(meaning && { near: nearDocuments(index, signatures, meaning) }),
  })
  return obeys ? obeying(search, obeys, found, wanted) : found
}

/** The best records of one kind by their words, and by their meaning where the query has one. */
export const searchRecords = async (search: RecordSearch): Promise<FoundRecords> => {
  const { db, tenantId, kind, index, signatures, meaning, top, from, to } = search
  const candidates = await candidatesOf(search)
  const named = (hit: Scored): FoundRecord => ({ ...nameOf(index, hit.document), ...hit })
  if (!meaning) {
    const best = candidates.slice(0, top)
    return { total: best.length, hits: best.slice(from, to).map((one) => named(scoredByWords(one))) }
  }
  const promising = mostPromising(index, signatures, meaning, candidates, comparedFor(top))
  const cosines = await cosinesOf(db, { tenantId, model: meaning.model }, kind, index, promising, meaning)
  const best = scoredByMeaning(index, promising, cosines, meaningFloor(index.size)).slice(0, top)
  return { total: best.length, hits: best.slice(from, to).map(named) }
}
