import type { Sql } from '../db/port.js'
import { type Scored, scoredByMeaning, scoredByWords } from './fuse.js'
import { CANDIDATES_BY_WORDS, comparedFor, cosinesOf, type Meaning, mostPromising, nearDocuments } from './meaning.js'
import { phraseTest } from './phrase.js'
import type { ParsedQuery } from './query.js'
import { meaningFloor } from './score.js'
import { type Candidate, type IndexSearch, searchIndex } from './search-index.js'
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
  /** The best so many. */
  top: number
  textsOf(candidates: readonly Candidate[]): Promise<ReadonlyMap<string, string>>
}

const phraseRule = (query: ParsedQuery): ((text: string) => boolean) | undefined => {
  const wanted = query.phrases.map(phraseTest)
  const unwanted = query.excludedPhrases.map(phraseTest)
  if (wanted.length + unwanted.length === 0) return undefined
  return (text) => wanted.every((occurs) => occurs(text)) && !unwanted.some((occurs) => occurs(text))
}

/** The candidates that the query's phrases allow, up to `most`. */
const obeying = async (
  { textsOf }: RecordSearch,
  obeys: (text: string) => boolean,
  candidates: readonly Candidate[],
  most: number,
): Promise<Candidate[]> => {
  const kept: Candidate[] = []
  for (let at = 0; at < candidates.length && kept.length < most; at += TEXTS_PER_READ) {
    const some = candidates.slice(at, at + TEXTS_PER_READ)
    const texts = await textsOf(some)
    kept.push(...some.filter(({ ref }) => obeys(texts.get(ref) ?? '')))
  }
  return kept.slice(0, most)
}

/** The best records of one kind by their words, and by their meaning where the query has one. */
export const searchRecords = async (search: RecordSearch): Promise<Scored[]> => {
  const { db, tenantId, kind, index, signatures, meaning, query, filter, exactRefs, top } = search
  const wanted = meaning ? Math.max(top, CANDIDATES_BY_WORDS) : top
  const obeys = phraseRule(query)
  const found = searchIndex(index, {
    query,
    filter,
    top: obeys ? Math.max(wanted, MAX_TEXTS_READ) : wanted,
    exactRefs,
    ...(meaning && { near: nearDocuments(index, signatures, meaning) }),
  })
  const candidates = obeys ? await obeying(search, obeys, found, wanted) : found
  if (!meaning) return scoredByWords(candidates.slice(0, top))
  const promising = mostPromising(index, signatures, meaning, candidates, comparedFor(top))
  const cosines = await cosinesOf(db, { tenantId, model: meaning.model }, kind, promising, meaning)
  return scoredByMeaning(promising, cosines, meaningFloor(index.size)).slice(0, top)
}
