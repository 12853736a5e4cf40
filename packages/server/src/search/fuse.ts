import { scoreByWords, scoreByWordsAndMeaning, type WordParts } from './score.js'
import type { Candidate } from './search-index.js'

/** What a score is made of. */
export interface ScoreParts extends WordParts {
  by: 'exact' | 'words' | 'words and meaning'
  /** Null where meaning had no part: the query or the text has no vector. */
  cosine: number | null
}

export type Scored = Candidate & ScoreParts

const isBefore = (a: Scored, b: Scored): boolean => (a.score === b.score ? a.ref < b.ref : a.score > b.score)

const byWords = (candidate: Candidate): Scored => ({
  ...candidate,
  by: candidate.isExact ? 'exact' : 'words',
  cosine: null,
})

/** Scores of a search by words alone. */
export const scoredByWords = (candidates: readonly Candidate[]): Scored[] => candidates.map(byWords)

const fuse = (candidate: Candidate, cosine: number | undefined, floor: number): Scored[] => {
  if (candidate.isExact) return [{ ...byWords(candidate), cosine: cosine ?? null }]
  const isByMeaningAlone = candidate.coverage === 0
  if (isByMeaningAlone && (cosine === undefined || cosine < floor)) return []
  // A text not embedded yet, or in a script that the model cannot read, is judged by its words.
  if (cosine === undefined) return [{ ...byWords(candidate), score: scoreByWords(candidate) }]
  return [{ ...candidate, by: 'words and meaning', cosine, score: scoreByWordsAndMeaning(candidate, cosine) }]
}

/** Scores by words and meaning, best first, ties by ref; what is near in meaning only by chance is left out. */
export const scoredByMeaning = (
  candidates: readonly Candidate[],
  cosines: ReadonlyMap<string, number>,
  floor: number,
): Scored[] =>
  candidates
    .flatMap((candidate) => fuse(candidate, cosines.get(candidate.ref), floor))
    .sort((a, b) => (a.isExact !== b.isExact ? (a.isExact ? -1 : 1) : isBefore(a, b) ? -1 : 1))
