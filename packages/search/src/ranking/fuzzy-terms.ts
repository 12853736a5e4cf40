import type { TermStatistics } from '../index/term-statistics.js'
import { letterMaskOf, type Vocabulary } from '../index/vocabulary.js'

const MAX_COMPLETIONS = 32
const MIN_PREFIX_LENGTH = 2
const MAX_COMPOUNDS = 8
const MIN_TAIL_LENGTH = 6
/** What stands before the tail, in bytes: `in` makes no compound of `information`. */
const MIN_COMPOUND_HEAD = 4
const MAX_CORRECTIONS = 4
const MIN_CORRECTED_LENGTH = 4
const LONG_WORD_LENGTH = 8

const encoder = new TextEncoder()

interface Correction {
  term: number
  /** The word that was meant. */
  word: number
  distance: number
}

const bitsOf = (set: number) => {
  let bits = set - ((set >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Edits between two words (a letter put in, left out, changed, or two neighbours swapped), or more than `most`. */
const editDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    beforeLast = last
    last = row
  }
  return last[b.length]!
}

const byLengthThenBytes = (vocabulary: Vocabulary) => (a: number, b: number) =>
  vocabulary.words.lengthOf(a) - vocabulary.words.lengthOf(b) || vocabulary.words.compare(a, b)

/** The vocabulary, and the statistics that say which of its terms occur in the documents searched. */
export interface SearchedTerms {
  vocabulary: Vocabulary
  statistics: TermStatistics
}

/** Maps up to `most` terms that occur in the searched documents to one of their words, shortest words first. */
const termsOf = (
  { vocabulary, statistics }: SearchedTerms,
  words: number[],
  most: number,
): ReadonlyMap<number, number> => {
  words.sort(byLengthThenBytes(vocabulary))
  const terms = new Map<number, number>()
  for (const word of words) {
    const term = vocabulary.termOfWord(word)
    if (!terms.has(term) && statistics.documentFrequency(term) > 0) terms.set(term, word)
    if (terms.size === most) break
  }
  return terms
}

/** Returns the terms of the words that begin with the prefix. */
export const completePrefix = (searched: SearchedTerms, prefix: string): number[] => {
  if (prefix.length < MIN_PREFIX_LENGTH) return []
  return [...termsOf(searched, searched.vocabulary.withPrefix(encoder.encode(prefix)), MAX_COMPLETIONS).keys()]
}

/** Terms of the words that a word is the last part of, each with one: Datenschutzverordnung for a Verordnung. */
export const compoundsEndingWith = (searched: SearchedTerms, tail: string): ReadonlyMap<number, number> => {
  if (tail.length < MIN_TAIL_LENGTH || !/^\p{L}+$/u.test(tail)) return new Map()
  const bytes = encoder.encode(tail)
  return termsOf(searched, searched.vocabulary.withTail(bytes, bytes.length + MIN_COMPOUND_HEAD), MAX_COMPOUNDS)
}

// Apart from its caller, so that the compiler sees the loop over the whole vocabulary by itself.
const similarWords = (
  ends: Readonly<Uint32Array>,
  count: number,
  letterMasks: Readonly<Uint32Array>,
  length: number,
  own: number,
  slack: number,
): number[] => {
  const similar: number[] = []
  const shortest = length - slack
  const longest = length + slack
  const maxBits = 2 * slack
  let start = ends[0]!
  for (let word = 0; word < count; word++) {
    const end = ends[word + 1]!
    const size = end - start
    start = end
    if (size < shortest || size > longest) continue
    if (bitsOf(letterMasks[word]! ^ own) <= maxBits) similar.push(word)
  }
  return similar
}

/** Returns the likely spellings of an unknown word: the terms the fewest edits away, most frequent first. */
export const correctSpelling = ({ vocabulary, statistics }: SearchedTerms, typed: string): Correction[] => {
  if (typed.length < MIN_CORRECTED_LENGTH || !/^[\p{L}\p{M}]+$/u.test(typed)) return []
  const { words, letterMasks } = vocabulary
  const bytes = encoder.encode(typed)
  const most = typed.length >= LONG_WORD_LENGTH ? 2 : 1
  // A letter beyond ASCII is two or three bytes.
  const slack = Math.ceil(bytes.length / typed.length) * most
  const own = letterMaskOf(bytes)
  const nearest = new Map<number, { distance: number; word: number }>()
  for (const word of similarWords(words.ends, words.count, letterMasks, bytes.length, own, slack)) {
    const distance = editDistance(typed, words.text(word), most)
    const term = vocabulary.termOfWord(word)
    const known = nearest.get(term)
    if (distance > most || (known && known.distance < distance)) continue
    if (!known || known.distance > distance || words.compare(word, known.word) < 0)
      nearest.set(term, { distance, word })
  }
  const live = [...nearest]
    .map(([term, near]) => ({ term, ...near, frequency: statistics.documentFrequency(term) }))
    .filter(({ frequency }) => frequency > 0)
  const least = Math.min(...live.map(({ distance }) => distance))
  return live
    .filter(({ distance }) => distance === least)
    .sort((a, b) => b.frequency - a.frequency || words.compare(a.word, b.word))
    .slice(0, MAX_CORRECTIONS)
}
