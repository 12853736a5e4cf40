export const K1 = 1.2
export const B = 0.75

/** How the length of a document counts, by the mean of all. */
export const slopeOf = ({ liveCount, totalLength }: { liveCount: number; totalLength: number }): number =>
  (K1 * B * liveCount) / Math.max(1, totalLength)

export const lengthPart = (slope: number, length: number): number => K1 * (1 - B) + slope * length

/** What the words say of one document. */
export type WordParts = {
  bm25: number
  /**
   * BM25 over the root of the most it could be, whatever the number of documents: between BM25, which grows with the
   * query, and its share, which forgets how much the query says. docs/search.md has the measurements.
   */
  strength: number
  /** BM25 as a share of the most that the query's words could give. */
  lexical: number
  /** The share of the query's words found, weighted by how rare they are. */
  coverage: number
}

export const WORDS_ONLY = { base: -3.75, lexical: 6.63, coverage: 1.06 } as const
export const WORDS_AND_MEANING = { base: -4.2, strength: 2.06, cosine: 2.94, coverage: 0.88 } as const

/**
 * How near a hit that shares no word with the query must be: as near as nonsense comes by chance to the nearest of so
 * many texts, which is .30 among ten and .36 among thousands.
 */
export const meaningFloor = (documents: number): number =>
  Math.min(0.36, 0.3 + 0.03 * Math.log10(Math.max(10, documents) / 10))

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

export const idfOf = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))

export const scoreByWords = ({ lexical, coverage }: WordParts): number =>
  sigmoid(WORDS_ONLY.base + WORDS_ONLY.lexical * lexical + WORDS_ONLY.coverage * coverage)

export const strengthOf = (bm25: number, most: number, documents: number): number =>
  bm25 / Math.sqrt(most * (K1 + 1) * Math.log(1 + documents))

/** What a text near to the query by its words is taken to have while its own is not known. */
const USUAL_COSINE = 0.4

/** On one scale for all texts of an answer, whether they have a vector already or not. */
export const scoreByWordsAndMeaning = (parts: WordParts, cosine: number = USUAL_COSINE): number =>
  sigmoid(
    WORDS_AND_MEANING.base +
      WORDS_AND_MEANING.strength * parts.strength +
      WORDS_AND_MEANING.cosine * Math.max(0, cosine) +
      WORDS_AND_MEANING.coverage * parts.coverage,
  )
