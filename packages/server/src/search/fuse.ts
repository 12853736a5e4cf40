import { scoreByWords, scoreByWordsAndMeaning, type WordParts } from './score.js'
import { type Candidate, compareRefs } from './search-index.js'
import type { WordIndex } from './word-index.js'

/** What a score is made of. */
export interface ScoreParts extends WordParts {
  by: 'exact' | 'words' | 'words and meaning'
  /** Null where meaning had no part: the query or the text has no vector. */
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

/** The score of a document by its words alone. */
export const scoredByWords = (candidate: Candidate): Scored =>
  candidate.isExact ? scored(candidate, 'exact', 1, null) : scored(candidate, 'words', scoreByWords(candidate), null)

const fuse = (candidate: Candidate, cosine: number | undefined, floor: number): Scored | undefined => {
  if (candidate.isExact) return scored(candidate, 'exact', 1, cosine ?? null)
  const isByMeaningAlone = candidate.coverage === 0
  if (isByMeaningAlone && (cosine === undefined || cosine < floor)) return undefined
  const score = scoreByWordsAndMeaning(candidate, cosine)
  // A text not embedded yet, or in a script that the model cannot read, is judged by its words.
  if (cosine === undefined) return scored(candidate, 'words', score, null)
  return scored(candidate, 'words and meaning', score, cosine)
}

/** Scores by words and meaning, best first, ties by ref; what is near in meaning only by chance is left out. */
export const scoredByMeaning = (
  index: WordIndex,
  candidates: readonly Candidate[],
  cosines: ReadonlyMap<number, number>,
  floor: number,
): Scored[] => {
  const exact = (one: Scored) => (one.by === 'exact' ? 1 : 0)
  return candidates
    .map((candidate) => fuse(candidate, cosines.get(candidate.document), floor))
    .filter((one) => one !== undefined)
    .sort((a, b) => exact(b) - exact(a) || b.score - a.score || compareRefs(index, a.document, b.document))
}
