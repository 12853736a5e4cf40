import type { Accepts } from '../index/filter.js'
import { NONE } from '../index/string-table.js'
import { compareNames, type WordIndex } from '../index/word-index.js'
import { rankOf } from '../ranking/hybrid-score.js'
import type { Candidate } from '../ranking/search-index.js'
import type { SignatureIndex } from './signature-index.js'
import { cosine, quantizeVector } from './vectors.js'

export const WORD_CANDIDATES = 200
const SEMANTIC_CANDIDATES = 100
/** How many cosines are computed where ten hits are wanted. */
const MIN_COMPARED = 50

export const comparedFor = (top: number): number => Math.max(MIN_COMPARED, 3 * top)

/** The vectors of one document's windows, end to end, by the number of the document. */
export interface DocumentVectors {
  document: number
  windows: number
  vectors: Uint8Array
}

/** The documents whose signatures are nearest to the query's, one for each answer. */
export const similarDocuments =
  (
    { documents }: WordIndex,
    signatures: SignatureIndex,
    queryVector: Float32Array,
    answerOf: (document: number) => number,
  ) =>
  (accepts: Accepts | undefined): number[] => {
    const isWanted = (ref: number) => {
      const document = documents.ofRef(ref)
      return document !== NONE && (accepts === undefined || accepts(document))
    }
    const isEarlier = (a: number, b: number) => documents.compareNames(a, b) < 0
    const groupOf = (ref: number) => answerOf(documents.ofRef(ref))
    return signatures.nearest(queryVector, SEMANTIC_CANDIDATES, isWanted, isEarlier, groupOf).map(documents.ofRef)
  }

/**
 * The candidates of the answers that could be among the best, by cosines estimated from the signatures: to read a vector costs more
 * than anything else in a search.
 */
export const preselect = (
  index: WordIndex,
  signatures: SignatureIndex,
  queryVector: Float32Array,
  candidates: readonly Candidate[],
  wordWeight: number,
  most: number,
  answerOf: (document: number) => number,
): readonly Candidate[] => {
  if (candidates.length <= most) return candidates
  const { refOf } = index.documents
  const estimate = signatures.estimator(queryVector)
  const estimated = candidates.map((candidate) => {
    const rank = rankOf(candidate, estimate(refOf(candidate.document)), wordWeight)
    return { candidate, rank: candidate.isExact ? Number.POSITIVE_INFINITY : rank }
  })
  estimated.sort((a, b) => b.rank - a.rank || compareNames(index, a.candidate.document, b.candidate.document))
  const answers = new Set<number>()
  const selected: Candidate[] = []
  for (const { candidate } of estimated) {
    answers.add(answerOf(candidate.document))
    if (answers.size > most) break
    selected.push(candidate)
  }
  return selected
}

const isOfModel = (query: Int8Array, { windows, vectors }: DocumentVectors): boolean =>
  windows > 0 && vectors.length === windows * query.length

const cosinesOfWindows = (query: Int8Array, { windows, vectors }: DocumentVectors): number[] =>
  Array.from({ length: windows }, (_, window) =>
    cosine(query, new Int8Array(vectors.buffer, vectors.byteOffset + window * query.length, query.length)),
  )

/** How near a document is to a query. */
export interface Nearness {
  /** Of its nearest window. */
  cosine: number
  /** What it is ranked by: a text with a second window that is near is more likely about the query. */
  ranked: number
  /** Of all its windows, in their order. */
  windows: readonly number[]
}

const SECOND_WINDOW = 0.2

const nearnessOf = (cosines: readonly number[]): Nearness => {
  const [cosine = 0, second = cosine] = cosines.toSorted((a, b) => b - a)
  return { cosine, ranked: cosine + SECOND_WINDOW * (second - cosine), windows: cosines }
}

/** How near each document is; those whose vectors are of another model are left out. */
export const nearnessTo = (queryVector: Float32Array, documents: readonly DocumentVectors[]): Map<number, Nearness> => {
  const query = quantizeVector(queryVector)
  const nearness = new Map<number, Nearness>()
  for (const stored of documents) {
    if (isOfModel(query, stored)) nearness.set(stored.document, nearnessOf(cosinesOfWindows(query, stored)))
  }
  return nearness
}
