import { withRoom } from './growable.js'
import { porter2 } from './porter2.js'
import { createStringTable, NONE, type StringTable } from './string-table.js'

const ENGLISH_WORD = /^[a-z]{3,}$/

export const stemOf = (word: string): string => (ENGLISH_WORD.test(word) ? porter2(word) : word)

export type Vocabulary = ReturnType<typeof createVocabulary>

export type StoredVocabulary = { words: StringTable; terms: Uint32Array; termCount: number }

const BEGINNING_BYTES = 3
const MAP_ENTRY_BYTES = 32

const beginningOf = (bytes: Uint8Array): number => (bytes[0]! << 16) | (bytes[1]! << 8) | bytes[2]!

// The index being filled asks for the same words over and over; one memory serves them all in turn.
const MAX_REMEMBERED = 20_000
const remembered = new Map<string, number>()
let rememberedFor: StringTable | undefined

/**
 * Words as written → terms, which are their stems. The words are kept beside the stems because people type beginnings
 * and misspellings of words, not of stems; and so each is stemmed once in an index's life.
 */
export const createVocabulary = (stored?: StoredVocabulary) => {
  const words = stored?.words ?? createStringTable()
  let terms = stored?.terms ?? new Uint32Array(64)
  let letters = new Uint32Array(terms.length)
  let termCount = stored?.termCount ?? 0
  // The words that begin alike, each leading to the one before it.
  const lastOfBeginning = new Map<number, number>()
  let previousAlike = new Uint32Array(terms.length)

  const enter = (word: number) => {
    const bytes = words.bytesOf(word)
    letters[word] = lettersOf(bytes)
    if (bytes.length < BEGINNING_BYTES) return
    const beginning = beginningOf(bytes)
    previousAlike[word] = lastOfBeginning.get(beginning) ?? NONE
    lastOfBeginning.set(beginning, word)
  }
  for (let word = 0; word < words.count; word++) enter(word)

  const add = (text: string, term: number) => {
    const word = words.intern(text)
    terms = withRoom(terms, word + 1)
    letters = withRoom(letters, word + 1)
    previousAlike = withRoom(previousAlike, word + 1)
    terms[word] = term
    enter(word)
    return term
  }

  const internUnremembered = (word: string): number => {
    const known = words.find(word)
    if (known !== NONE) return terms[known]!
    const stem = stemOf(word)
    if (stem === word) return add(word, termCount++)
    const knownStem = words.find(stem)
    return add(word, knownStem === NONE ? add(stem, termCount++) : terms[knownStem]!)
  }

  return {
    words,
    termOfWord: (word: number): number => terms[word]!,
    get letters() {
      return letters
    },
    get termCount() {
      return termCount
    },
    get memoryBytes() {
      const columns = terms.byteLength + letters.byteLength + previousAlike.byteLength
      return words.memoryBytes + columns + lastOfBeginning.size * MAP_ENTRY_BYTES
    },

    /** The words that begin with these bytes, of which there are at least three. */
    beginningWith(prefix: Uint8Array): number[] {
      const found: number[] = []
      let word = lastOfBeginning.get(beginningOf(prefix)) ?? NONE
      for (; word !== NONE; word = previousAlike[word]!) if (words.startsWith(word, prefix)) found.push(word)
      return found
    },

    /** The term of a word as it would be indexed, whether the word itself was seen or only others of its stem. */
    find(word: string): number {
      const known = words.find(word)
      if (known !== NONE) return terms[known]!
      const stem = stemOf(word)
      const knownStem = stem === word ? NONE : words.find(stem)
      return knownStem === NONE ? NONE : terms[knownStem]!
    },

    intern(word: string): number {
      if (rememberedFor !== words || remembered.size > MAX_REMEMBERED) remembered.clear()
      rememberedFor = words
      const term = remembered.get(word)
      if (term !== undefined) return term
      const found = internUnremembered(word)
      remembered.set(word, found)
      return found
    },
  }
}

/** The set of a word's letters: words an edit apart differ in two bits at most, which spares nearly all comparisons. */
export const lettersOf = (bytes: Uint8Array): number => {
  let set = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    set |= 1 << (byte >= 97 && byte <= 122 ? byte - 97 : byte & 31)
  }
  return set >>> 0
}
