import { K1 } from './bm25.js'

/** What the words say of one document. */
export interface WordParts {
  bm25: number
  /**
   * BM25 over the root of the most it could be, whatever the number of documents: between BM25, which grows with the
   * query, and its share, which forgets how much the query says. docs/measurements/search.md has the figures.
   */
  strength: number
  /** BM25 as a share of its maximum for this query. */
  lexical: number
  /** The share of the query's words found, weighted by how rare they are. */
  coverage: number
}

/** How the parts make up what the words say, from 0 to about 2. */
export const EVIDENCE_WEIGHTS = { strength: 0.8, coverage: 0.3 } as const

const FULL_WEIGHT = 0.9
const FULL_WEIGHT_LOG = 9
const FOREIGN_WORD_WEIGHT = 4

/**
 * What the evidence of the words weighs beside a cosine: among few documents a word says little, for chance alone puts
 * it into the wrong ones as well. A query that the model reads badly goes by its words.
 */
export const wordWeight = (documents: number, outOfVocabularyShare: number): number => {
  const weight = FULL_WEIGHT * Math.min(1, Math.log(1 + documents) / FULL_WEIGHT_LOG) ** 1.5
  return weight + outOfVocabularyShare * (FOREIGN_WORD_WEIGHT - weight)
}

export const evidenceOf = ({ strength, coverage }: WordParts): number =>
  EVIDENCE_WEIGHTS.strength * strength + EVIDENCE_WEIGHTS.coverage * coverage

/** BM25 becomes a strength when it is divided by this. */
export const strengthScale = (most: number, documents: number): number =>
  Math.sqrt(most * (K1 + 1) * Math.log(1 + documents))

/** Assumed of a text found by its words whose own cosine is not known yet. */
export const expectedCosine = (evidence: number): number => Math.min(0.6, 0.25 + 0.3 * evidence)

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** How probable it is that a document with these words is right; that it holds all of them counts more than in rank. */
const wordScore = ({ strength, coverage }: WordParts): number => sigmoid(7 * strength + 4 * coverage - 5.5)

/** The cosine of a query that the model reads badly says little. */
const cosineScore = (cosine: number, outOfVocabularyShare: number): number =>
  0.45 * (1 - 0.7 * outOfVocabularyShare) * sigmoid(25 * (cosine - 0.325))

/** How probable it is that a document is right, if no other could be meant: its words or its cosine may be enough. */
export const scoreAlone = (words: WordParts, cosine: number | undefined, outOfVocabularyShare: number): number => {
  const byWords = wordScore(words)
  return cosine === undefined ? byWords : 1 - (1 - byWords) * (1 - cosineScore(cosine, outOfVocabularyShare))
}

const DOUBT_AMONG_EQUALS = 0.45
const FALL_OF_DOUBT = 4

/** The same of the first hit, which is ahead of the second by so much evidence. */
export const firstScore = (alone: number, lead: number): number =>
  alone * (1 - DOUBT_AMONG_EQUALS * Math.exp(-FALL_OF_DOUBT * lead))

// Of two hits that are nearly equal one is right as a rule, and nobody knows which; what is equal is right or wrong
// together.
const SHARE_OF_EQUALS = 0.6
const FALL_AMONG_EQUALS = 40
export const SCORE_DECAY = { byWords: 5, hybrid: 3 } as const

/** The same of a hit that is behind the first one by so much evidence. */
export const laterScore = (first: number, behind: number, fall: number): number =>
  first * (SHARE_OF_EQUALS * Math.exp(-FALL_AMONG_EQUALS * behind) + (1 - SHARE_OF_EQUALS) * Math.exp(-fall * behind))

/**
 * The least cosine of a hit that shares no word with the query: what nonsense reaches by chance with the nearest of so
 * many texts, which is .30 among ten and .36 among thousands.
 */
const cosineFloor = (documents: number): number => Math.min(0.36, 0.3 + 0.03 * Math.log10(Math.max(10, documents) / 10))

// Below the floor a text is near if it stands clear of those that follow it.
const CLEAR_LEAST = 0.2
const CLEAR_BY = 0.1
const FOLLOWING = 5
/** What is less near than the nearest text is shown too, if that one is near. */
const BELOW_FLOOR = 0.12

/** The least cosine of a hit that shares no word with the query, given those of all candidates. */
export const leastCosine = (cosines: readonly number[], documents: number): number => {
  const floor = cosineFloor(documents)
  const [nearest = 0, ...following] = cosines.toSorted((a, b) => b - a).slice(0, FOLLOWING + 1)
  if (nearest >= floor) return floor - BELOW_FLOOR
  const mean = following.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, following.length)
  const isClear = following.length > 0 && nearest >= CLEAR_LEAST && nearest - mean >= CLEAR_BY
  return isClear ? nearest : floor
}
