import type { WordIndex } from '../index/word-index.js'
import { compareRefs } from './compare-refs.js'
import {
  evidenceOf,
  expectedCosine,
  firstScore,
  laterScore,
  leastCosine,
  SCORE_DECAY,
  scoreAlone,
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

/**
 * The scores of candidates, best first, by their words alone. `isEachItsOwn`: one that is right makes no other less
 * probable, as when a text has several duplicates.
 */
export const scoreByWords = (candidates: readonly Candidate[], isEachItsOwn = false): Scored[] => {
  const [best, second] = candidates.filter(({ isExact }) => !isExact)
  const behind = (candidate: Candidate) => evidenceOf(best!) - evidenceOf(candidate)
  const alone = (candidate: Candidate) => scoreAlone(candidate, undefined, 0)
  const first = best ? firstScore(alone(best), second ? behind(second) : Number.POSITIVE_INFINITY) : 0
  return candidates.map((candidate) => {
    if (candidate.isExact) return scored(candidate, 'exact', 1, null)
    const score = isEachItsOwn ? alone(candidate) : laterScore(first, behind(candidate), SCORE_DECAY.byWords)
    return scored(candidate, 'words', score, null)
  })
}

/** What documents are ranked by: the cosine, an assumed one where it is not known, and the evidence of the words. */
export const rankOf = (candidate: Candidate, cosine: number | undefined, wordWeight: number): number => {
  const evidence = evidenceOf(candidate)
  return Math.max(0, cosine ?? expectedCosine(evidence)) + wordWeight * evidence
}

/** Of a text without a vector: it is not assumed to be nearer than all those whose words say at least as much. */
const cosineAssumer = (candidates: readonly Candidate[], cosines: ReadonlyMap<number, number>) => {
  const known = candidates.flatMap((candidate) => {
    const cosine = cosines.get(candidate.document)
    return cosine === undefined ? [] : [{ evidence: evidenceOf(candidate), cosine }]
  })
  return (candidate: Candidate): number => {
    const evidence = evidenceOf(candidate)
    const better = known.filter((each) => each.evidence >= evidence).map(({ cosine }) => cosine)
    const expected = expectedCosine(evidence)
    return better.length === 0 ? expected : Math.min(expected, Math.max(...better))
  }
}

/** The best of each answer. */
const bestCosines = (cosines: ReadonlyMap<number, number>, answerOf: (document: number) => number): number[] => {
  const best = new Map<number, number>()
  for (const [document, cosine] of cosines) {
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

export interface HybridRanking {
  /** So many are wanted. */
  top: number
  wordWeight: number
  outOfVocabularyShare: number
  isEachItsOwn?: boolean | undefined
  /** The document that is answered where one matches. Of several with one answer the best counts. */
  answerOf?: (document: number) => number
}

/** Ranks by words and vectors, best first, ties by ref; what has no word of the query must be near to it. */
export const rankHybrid = (
  index: WordIndex,
  candidates: readonly Candidate[],
  cosines: ReadonlyMap<number, number>,
  { top, wordWeight, outOfVocabularyShare, isEachItsOwn = false, answerOf = (document) => document }: HybridRanking,
): Scored[] => {
  const least = leastCosine(bestCosines(cosines, answerOf), index.size)
  const isNear = ({ coverage }: Candidate, cosine: number | undefined) =>
    coverage > 0 || (cosine !== undefined && cosine >= least)
  const exact = candidates.filter(({ isExact }) => isExact)
  const assumedCosine = cosineAssumer(candidates, cosines)
  const near: Ranked[] = []
  for (const candidate of candidates) {
    const cosine = cosines.get(candidate.document)
    if (candidate.isExact || !isNear(candidate, cosine)) continue
    near.push({ candidate, cosine, rank: rankOf(candidate, cosine ?? assumedCosine(candidate), wordWeight) })
  }
  const isReplaced = ({ candidate: { document } }: Ranked) => Number(answerOf(document) !== document)
  // Of equal ones those that were replaced come last.
  near.sort(
    (a, b) =>
      b.rank - a.rank ||
      isReplaced(a) - isReplaced(b) ||
      compareRefs(index, a.candidate.document, b.candidate.document),
  )
  const answered = new Set(exact.map(({ document }) => answerOf(document)))
  const others = near.filter(({ candidate }) => {
    const answer = answerOf(candidate.document)
    const isFirst = !answered.has(answer)
    answered.add(answer)
    return isFirst
  })
  const [best, second] = others
  const behind = ({ rank }: Ranked) => (best!.rank - rank) / wordWeight
  const alone = ({ candidate, cosine }: Ranked) => scoreAlone(candidate, cosine, outOfVocabularyShare)
  const first = best ? firstScore(alone(best), second ? behind(second) : Number.POSITIVE_INFINITY) : 0
  const hits = [
    ...exact.map((candidate) => scored(candidate, 'exact', 1, cosines.get(candidate.document) ?? null)),
    ...(isEachItsOwn ? others : others.slice(0, top)).map((ranked) => {
      const { candidate, cosine } = ranked
      const score = isEachItsOwn ? alone(ranked) : laterScore(first, behind(ranked), SCORE_DECAY.hybrid)
      // A text not embedded yet, or in a script that the model cannot read, is judged by its words.
      return cosine === undefined
        ? scored(candidate, 'words', score, null)
        : scored(candidate, 'words and meaning', score, cosine)
    }),
  ]
  if (isEachItsOwn) hits.sort((a, b) => b.score - a.score)
  return hits.slice(0, top)
}
