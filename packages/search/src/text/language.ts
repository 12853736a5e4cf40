import { analyze } from './analyzer.js'
import { stemOf } from './porter2.js'
import { isStopWord } from './stop-words.js'

// What a text is written in shows soon.
const LOOK_AT = 4_000

const LATIN_LETTER = /\p{Script=Latin}/gu
const LETTER = /\p{L}/gu

/** Whether at least half of the letters of a text are Latin; of no letters, too. */
export const isMostlyLatin = (text: string): boolean => {
  const start = text.slice(0, LOOK_AT)
  const latin = start.match(LATIN_LETTER)?.length ?? 0
  return latin * 2 >= (start.match(LETTER)?.length ?? 0)
}

// How much a word says that a query is not English, as the logarithm of a likelihood ratio. Few words that are not
// English are known, but for short ones, and English stop words of two letters are words of many languages.
const BEFORE_ANY_WORD = -1.4
const ACCENTED = 2.5
const UNKNOWN = 1.5
const KNOWN = { short: 0.3, long: -0.6 } as const
const STOP_WORD = { short: -0.5, long: -0.9 } as const
const CERTAIN = 3

const evidenceOf = (word: string, stems: ReadonlySet<string>): number => {
  if (!/^[a-z]+$/.test(word)) return ACCENTED
  if (isStopWord(word)) return STOP_WORD[word.length < 3 ? 'short' : 'long']
  return stems.has(word) || stems.has(stemOf(word)) ? KNOWN[word.length < 4 ? 'short' : 'long'] : UNKNOWN
}

/** How certain it is that a query in Latin script is not English, from 0 to 1, given the stems of English words. */
export const outOfVocabularyShare = (query: string, stems: ReadonlySet<string>): number => {
  const words = query.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  const evidence = words.reduce((sum, word) => sum + evidenceOf(word, stems), BEFORE_ANY_WORD)
  return Math.max(0, Math.min(1, evidence / CERTAIN))
}

// A word that no digit or sign makes the part of a code: `re-index` has one, `ACME-5` and `xq7-99-kk` have none.
const WORD = /(?<![\p{L}\p{N}_-])\p{L}{2,}(?![\p{L}\p{N}_]|-\p{N})/u

const saysSomething = (query: string): boolean => {
  let words = 0
  analyze(query, () => words++)
  return words > 0
}

/**
 * Whether a query has words that say something: a model makes vectors of codes, numbers, signs and stop words too, but
 * they mean nothing.
 */
export const hasWords = (query: string): boolean => WORD.test(query) && saysSomething(query)
