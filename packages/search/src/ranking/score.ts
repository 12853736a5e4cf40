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

const FULL_WEIGHT = 1.1
const FULL_WEIGHT_LOG = 9
const FOREIGN_WORD_WEIGHT = 4

/**
 * What the evidence of the words weighs beside a cosine: among few texts a word says little, for chance alone puts it
 * into the wrong ones as well, and among many windows chance puts one near to the query. A query that the model reads
 * badly goes by its words.
 */
export const wordWeight = (windows: number, outOfVocabularyShare: number): number => {
  const weight = FULL_WEIGHT * Math.min(1, Math.log(1 + windows) / FULL_WEIGHT_LOG) ** 2
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

/** The share of a cosine that is lost, and what the words gain, where the model reads a query badly. */
const FOREIGN = { cosine: 0.7, words: 2 } as const
const WORDS_BESIDE_COSINE = 0.3
const MISSING_WORDS = 0.3

/** What of a query bears on how relevant a document is. */
export interface QueryTraits {
  outOfVocabularyShare: number
  /** The cosine of a single word says little against it. */
  isOneWord: boolean
}

const relevanceByMeaning = (words: WordParts, cosine: number, outOfVocabularyShare: number): number => {
  const evidence = evidenceOf(words)
  // All words of a query make up for a low cosine, such as that of a long text.
  const least = expectedCosine(evidence) - MISSING_WORDS * (1 - words.coverage)
  const byMeaning = Math.max(0, cosine, least) * (1 - FOREIGN.cosine * outOfVocabularyShare)
  const byWords = WORDS_BESIDE_COSINE * evidence * (1 + FOREIGN.words * outOfVocabularyShare)
  return sigmoid(7 * (byMeaning + byWords - 0.57))
}

/** Below the middle words say less than a cosine does; above it no more than with the one expected of them. */
export const relevanceByWords = (words: WordParts): number => {
  const evidence = evidenceOf(words)
  return Math.min(sigmoid(8 * (evidence - 0.53)), relevanceByMeaning(words, expectedCosine(evidence), 0))
}

/**
 * How relevant a document is, from 0 to 1: the cosine and a little of the words, or the words where there is no cosine.
 * Half is where questions with an answer and those without one are equally frequent. docs/measurements/search.md has the figures.
 */
export const relevanceOf = (
  words: WordParts,
  cosine: number | undefined,
  { outOfVocabularyShare, isOneWord }: QueryTraits,
): number => {
  if (cosine === undefined) return relevanceByWords(words)
  const relevance = relevanceByMeaning(words, cosine, outOfVocabularyShare)
  return isOneWord ? Math.max(relevance, relevanceByWords(words)) : relevance
}

/** Scores in the order of the hits: none is higher than the one before it. */
export const falling = (scores: readonly number[]): number[] => {
  let least = 1
  return scores.map((score) => {
    least = Math.min(least, score)
    return least
  })
}

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
