import { compareNames, type WordIndex } from '../index/word-index.js'
import type { Nearness } from '../semantic/candidates.js'
import {
  evidenceOf,
  expectedCosine,
  falling,
  leastCosine,
  type QueryTraits,
  relevanceByWords,
  relevanceOf,
  type WordParts,
} from './score.js'
import type { Candidate } from './search-index.js'

/** What a score is made of. */
export interface ScoreParts extends WordParts {
  by: 'exact' | 'words' | 'words and meaning'
  /** Null where the query or the text has no vector. */
  cosine: number | null
}

export interface Scored extends ScoreParts {
  document: number
  score: number
}

const scored = (
  { document, bm25, strength, lexical, coverage }: Candidate,
  by: Scored['by'],
  score: number,
  cosine: number | null,
): Scored => ({ document, score, by, bm25, strength, lexical, coverage, cosine })

/** The scores of candidates, best first, by their words alone. */
export const scoreByWords = (candidates: readonly Candidate[]): Scored[] => {
  const others = candidates.filter(({ isExact }) => !isExact)
  const scores = falling(others.map(relevanceByWords))
  return [
    ...candidates.filter(({ isExact }) => isExact).map((candidate) => scored(candidate, 'exact', 1, null)),
    ...others.map((candidate, at) => scored(candidate, 'words', scores[at]!, null)),
  ]
}

/** What documents are ranked by: the cosine, an assumed one where it is not known, and the evidence of the words. */
export const rankOf = (candidate: Candidate, cosine: number | undefined, wordWeight: number): number => {
  const evidence = evidenceOf(candidate)
  return Math.max(0, cosine ?? expectedCosine(evidence)) + wordWeight * evidence
}

/** Of a text without a vector: it is not assumed to be nearer than all those whose words say at least as much. */
const cosineAssumer = (candidates: readonly Candidate[], nearness: ReadonlyMap<number, Nearness>) => {
  const known = candidates.flatMap((candidate) => {
    const near = nearness.get(candidate.document)
    return near === undefined ? [] : [{ evidence: evidenceOf(candidate), cosine: near.cosine }]
  })
  return (candidate: Candidate): number => {
    const evidence = evidenceOf(candidate)
    const better = known.filter((each) => each.evidence >= evidence).map(({ cosine }) => cosine)
    const expected = expectedCosine(evidence)
    return better.length === 0 ? expected : Math.min(expected, Math.max(...better))
  }
}

/** The best of each answer. */
const bestCosines = (nearness: ReadonlyMap<number, Nearness>, answerOf: (document: number) => number): number[] => {
  const best = new Map<number, number>()
  for (const [document, { cosine }] of nearness) {
    const answer = answerOf(document)
    best.set(answer, Math.max(cosine, best.get(answer) ?? -1))
  }
  return [...best.values()]
}

interface Ranked {
  candidate: Candidate
  cosine: number | undefined
  rank: number
}

interface HybridRanking {
  /** So many are wanted. */
  top: number
  wordWeight: number
  traits: QueryTraits
  /** The document that is answered where one matches. Of several with one answer the best counts. */
  answerOf?: (document: number) => number
}

/** Ranks by words and vectors, best first, ties by name. Documents without a query word must be semantically near. */
export const rankHybrid = (
  index: WordIndex,
  candidates: readonly Candidate[],
  nearness: ReadonlyMap<number, Nearness>,
  { top, wordWeight, traits, answerOf = (document) => document }: HybridRanking,
): Scored[] => {
  const least = leastCosine(bestCosines(nearness, answerOf), index.size)
  const exact = candidates.filter(({ isExact }) => isExact)
  const assumedCosine = cosineAssumer(candidates, nearness)
  const near: Ranked[] = []
  for (const candidate of candidates) {
    const { cosine, ranked } = nearness.get(candidate.document) ?? {}
    const isNear = candidate.coverage > 0 || (cosine !== undefined && cosine >= least)
    if (candidate.isExact || !isNear) continue
    near.push({ candidate, cosine, rank: rankOf(candidate, ranked ?? assumedCosine(candidate), wordWeight) })
  }
  const isReplaced = ({ candidate: { document } }: Ranked) => Number(answerOf(document) !== document)
  // Of equal ones those that were replaced come last.
  near.sort(
    (a, b) =>
      b.rank - a.rank ||
      isReplaced(a) - isReplaced(b) ||
      compareNames(index, a.candidate.document, b.candidate.document),
  )
  const answered = new Set(exact.map(({ document }) => answerOf(document)))
  const others = near
    .filter(({ candidate }) => {
      const answer = answerOf(candidate.document)
      const isFirst = !answered.has(answer)
      answered.add(answer)
      return isFirst
    })
    .slice(0, top)
  const scores = falling(others.map(({ candidate, cosine }) => relevanceOf(candidate, cosine, traits)))
  return [
    ...exact.map((candidate) => scored(candidate, 'exact', 1, nearness.get(candidate.document)?.cosine ?? null)),
    // A text not embedded yet, or in a script that the model cannot read, is judged by its words.
    ...others.map(({ candidate, cosine }, at) =>
      cosine === undefined
        ? scored(candidate, 'words', scores[at]!, null)
        : scored(candidate, 'words and meaning', scores[at]!, cosine),
    ),
  ].slice(0, top)
}
