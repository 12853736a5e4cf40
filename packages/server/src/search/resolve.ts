import { analyze } from './analyzer.js'
import { mendWord, wordsBeginningWith } from './near-words.js'
import type { ParsedQuery, QueryWord } from './query.js'
import { idfOf } from './score.js'
import { NONE } from './string-table.js'
import type { WordIndex } from './word-index.js'

const BEGINNING_WEIGHT = 0.2
const MENDED_WEIGHT = [1, 0.7, 0.5] as const
// A mending reads the whole vocabulary, milliseconds where that is a million words.
const MAX_MENDED_WORDS = 6

export type WeightedTerm = { term: number; idf: number }

/** A word of the query as the index knows it: the best of its terms counts, each as much as its `idf` says. */
export type ResolvedWord = { count: number; idf: number; terms: readonly WeightedTerm[] }

export type ResolvedQuery = {
  words: readonly ResolvedWord[]
  /** Terms that every hit holds, for the phrases; undefined where one of them is unknown, and so nothing can match. */
  required: readonly number[] | undefined
  excluded: readonly number[]
}

const requiredTerms = (index: WordIndex, phrases: readonly string[]): number[] | undefined => {
  const terms = new Set<number>()
  for (const phrase of phrases) {
    analyze(phrase, (word, isForm) => {
      // "time sharing" in quotes also finds "time-sharing", so that the joined form is not asked for.
      if (!isForm) terms.add(index.vocabulary.find(word))
    })
  }
  return terms.has(NONE) ? undefined : [...terms]
}

export const resolveQuery = (index: WordIndex, query: ParsedQuery): ResolvedQuery => {
  let mended = 0

  const resolveWord = ({ word, isForm, count }: QueryWord): ResolvedWord | undefined => {
    const term = index.vocabulary.find(word)
    const frequency = term === NONE ? 0 : index.documentFrequency(term)
    const idf = idfOf(index.size, frequency)
    // A spelling that nobody used here is no word the reader missed.
    if (isForm && frequency === 0) return undefined

    const terms = new Map<number, number>()
    if (frequency > 0) terms.set(term, idf)
    if (word === query.beginning) {
      for (const longer of wordsBeginningWith(index, word)) {
        const own = idfOf(index.size, index.documentFrequency(longer))
        if (!terms.has(longer)) terms.set(longer, BEGINNING_WEIGHT * (frequency > 0 ? Math.min(own, idf) : own))
      }
    }
    if (terms.size === 0 && mended++ < MAX_MENDED_WORDS) {
      for (const { term: meant, distance } of mendWord(index, word)) {
        terms.set(meant, MENDED_WEIGHT[distance]! * idfOf(index.size, index.documentFrequency(meant)))
      }
    }
    return { count, idf, terms: [...terms].map(([known, weight]) => ({ term: known, idf: weight })) }
  }

  const words = query.words.map(resolveWord).filter((word) => word !== undefined)
  const excluded = query.excludedWords.map((word) => index.vocabulary.find(word)).filter((term) => term !== NONE)
  return { words, required: requiredTerms(index, query.phrases), excluded }
}
