import type { Sql } from '../db/port.js'
import { cosine, quantizeVector } from './embedding/vectors.js'
import type { Accepts } from './filter.js'
import { keyOfRef } from './records.js'
import { scoreByWordsAndMeaning } from './score.js'
import { type Candidate, compareRefs, nameOf } from './search-index.js'
import type { SignatureIndex } from './signature-index.js'
import { NONE } from './string-table.js'
import type { EmbeddedKind, Shelf } from './vectors/subject.js'
import { type DocumentVectors, vectorsOf } from './vectors/vector-store.js'
import type { WordIndex } from './word-index.js'

export const CANDIDATES_BY_WORDS = 200
const CANDIDATES_BY_MEANING = 100
/** Of which the cosine is worth knowing, where ten are wanted. */
const COMPARED_LEAST = 80

export const comparedFor = (top: number): number => Math.max(COMPARED_LEAST, 3 * top)

/** A query's meaning, and the vectors to compare it with. */
export interface Meaning {
  vector: Float32Array
  model: string
}

/** The documents whose signatures are nearest to the query's. */
export const nearDocuments =
  ({ documents }: WordIndex, signatures: SignatureIndex, { vector }: Meaning) =>
  (accepts: Accepts | undefined): number[] => {
    const isWanted = (ref: number) => {
      const document = documents.ofRef(ref)
      return document !== NONE && (accepts === undefined || accepts(document))
    }
    const isEarlier = (a: number, b: number) => documents.refs.compare(a, b) < 0
    return signatures.nearest(vector, CANDIDATES_BY_MEANING, isWanted, isEarlier).map(documents.ofRef)
  }

/**
 * The candidates that could be among the best, by a guess at their cosines from the signatures: reading a vector costs
 * more than anything else in a search.
 */
export const mostPromising = (
  index: WordIndex,
  signatures: SignatureIndex,
  { vector }: Meaning,
  candidates: readonly Candidate[],
  most: number,
): readonly Candidate[] => {
  if (candidates.length <= most) return candidates
  const { refOf } = index.documents
  const estimate = signatures.estimator(vector)
  const guessed = candidates.map((candidate) => {
    const cosine = estimate(refOf(candidate.document))
    const score = scoreByWordsAndMeaning(candidate, cosine)
    return { candidate, score: candidate.isExact ? 2 : score }
  })
  guessed.sort((a, b) => b.score - a.score || compareRefs(index, a.candidate.document, b.candidate.document))
  return guessed.slice(0, most).map(({ candidate }) => candidate)
}

const bestCosine = (query: Int8Array, { windows, vectors }: DocumentVectors): number => {
  let best = -1
  for (let window = 0; window < windows; window++) {
    const at = vectors.byteOffset + window * query.length
    best = Math.max(best, cosine(query, new Int8Array(vectors.buffer, at, query.length)))
  }
  return best
}

/** How near each candidate is in meaning, by the vectors in the store; those without any are left out. */
export const cosinesOf = async (
  db: Sql,
  shelf: Shelf,
  kind: EmbeddedKind,
  index: WordIndex,
  candidates: readonly Candidate[],
  { vector }: Meaning,
): Promise<Map<number, number>> => {
  const query = quantizeVector(vector)
  const places = candidates.map(({ document }) => {
    const { ref, scope } = nameOf(index, document)
    return { document, project_id: scope, subject: kind === 'task' ? ref : keyOfRef(ref) }
  })
  const cosines = new Map<number, number>()
  for (const stored of await vectorsOf(db, shelf, kind, places)) {
    const isOfModel = stored.windows > 0 && stored.vectors.length === stored.windows * query.length
    if (isOfModel) cosines.set(stored.document, bestCosine(query, stored))
  }
  return cosines
}
