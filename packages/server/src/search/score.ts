export const K1 = 1.2
export const B = 0.75

/** What the words say of one document. */
export type WordParts = {
  bm25: number
  /** BM25 as a share of the most that the query's words could give. */
  lexical: number
  /** The share of the query's words found, weighted by how rare they are. */
  coverage: number
}

export const WORDS_ONLY = { base: -3.75, lexical: 6.63, coverage: 1.06 } as const
export const WORDS_AND_MEANING = { base: -7.0, lexical: 1.53, cosine: 8.43, coverage: 3.44 } as const

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

export const idfOf = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))

export const scoreByWords = ({ lexical, coverage }: WordParts): number =>
  sigmoid(WORDS_ONLY.base + WORDS_ONLY.lexical * lexical + WORDS_ONLY.coverage * coverage)

export const scoreByWordsAndMeaning = ({ lexical, coverage }: WordParts, cosine: number): number =>
  sigmoid(
    WORDS_AND_MEANING.base +
      WORDS_AND_MEANING.lexical * lexical +
      WORDS_AND_MEANING.cosine * Math.max(0, cosine) +
      WORDS_AND_MEANING.coverage * coverage,
  )
