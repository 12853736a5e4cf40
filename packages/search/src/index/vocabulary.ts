import { detached } from '../text/detached.js'
import { stemOf } from '../text/porter2.js'
import { withRoom } from './growable.js'
import { createStringTable, NONE, type StringTable } from './string-table.js'

export type Vocabulary = ReturnType<typeof createVocabulary>

type StoredVocabulary = { words: StringTable; terms: Uint32Array; termCount: number }

const PREFIX_BYTES = 3
const TAIL_BYTES = 6
/** Shorter words are no compounds of a tail and something before it. */
const MIN_COMPOUND_BYTES = 10
const MAP_ENTRY_BYTES = 32

/** Of the last bytes of a word; those of other words may have the same one. */
const tailKey = (bytes: Uint8Array): number => {
  let key = 0
  for (let at = bytes.length - TAIL_BYTES; at < bytes.length; at++) key = Math.imul(key, 31) + bytes[at]!
  return key | 0
}

const prefixKey = (bytes: Uint8Array): number => (bytes[0]! << 16) | (bytes[1]! << 8) | bytes[2]!

// While an index is filled the same words come over and over.
const MAX_CACHED_WORDS = 4_000
const CACHED_WORD_BYTES = 100

/**
 * Words as written → terms, which are their stems. The words are kept beside the stems because people type prefixes
 * and misspellings of words, not of stems; and so each is stemmed once in an index's life.
 */
export const createVocabulary = (stored?: StoredVocabulary) => {
  const words = stored?.words ?? createStringTable()
  let terms = stored?.terms ?? new Uint32Array(64)
  let letterMasks = new Uint32Array(terms.length)
  let termCount = stored?.termCount ?? 0
  // A linked list of the words of each prefix, the latest first.
  const lastWithPrefix = new Map<number, number>()
  let previousWithPrefix = new Uint32Array(terms.length)
  // The same by the last bytes of long words.
  const lastWithTail = new Map<number, number>()
  let previousWithTail = new Uint32Array(terms.length)

  const cachedTerms = new Map<string, number>()

  const link = (word: number) => {
    const bytes = words.bytesOf(word)
    letterMasks[word] = letterMaskOf(bytes)
    if (bytes.length < PREFIX_BYTES) return
    const prefix = prefixKey(bytes)
    previousWithPrefix[word] = lastWithPrefix.get(prefix) ?? NONE
    lastWithPrefix.set(prefix, word)
    if (bytes.length < MIN_COMPOUND_BYTES) return
    const tail = tailKey(bytes)
    previousWithTail[word] = lastWithTail.get(tail) ?? NONE
    lastWithTail.set(tail, word)
  }
  for (let word = 0; word < words.count; word++) link(word)

  const add = (text: string, term: number) => {
    const word = words.intern(text)
    terms = withRoom(terms, word + 1)
    letterMasks = withRoom(letterMasks, word + 1)
    previousWithPrefix = withRoom(previousWithPrefix, word + 1)
    previousWithTail = withRoom(previousWithTail, word + 1)
    terms[word] = term
    link(word)
    return term
  }

  const internUncached = (word: string): number => {
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
    get letterMasks() {
      return letterMasks
    },
    get termCount() {
      return termCount
    },
    get memoryBytes() {
      const links = previousWithPrefix.byteLength + previousWithTail.byteLength
      const maps = (lastWithPrefix.size + lastWithTail.size) * MAP_ENTRY_BYTES + cachedTerms.size * CACHED_WORD_BYTES
      return words.memoryBytes + terms.byteLength + letterMasks.byteLength + links + maps
    },

    /** The words that begin with these bytes, at least two of them. */
    withPrefix(prefix: Uint8Array): number[] {
      const found: number[] = []
      const collect = (key: number) => {
        let word = lastWithPrefix.get(key) ?? NONE
        for (; word !== NONE; word = previousWithPrefix[word]!) if (words.startsWith(word, prefix)) found.push(word)
      }
      if (prefix.length >= PREFIX_BYTES) collect(prefixKey(prefix))
      else for (let third = 0; third < 256; third++) collect(prefixKey(Uint8Array.of(prefix[0]!, prefix[1]!, third)))
      return found
    },

    /** The words of at least so many bytes that end with these, at least six. */
    withTail(tail: Uint8Array, leastLength: number): number[] {
      const found: number[] = []
      let word = lastWithTail.get(tailKey(tail)) ?? NONE
      for (; word !== NONE; word = previousWithTail[word]!) {
        if (words.lengthOf(word) >= leastLength && words.endsWith(word, tail)) found.push(word)
      }
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
      const cached = cachedTerms.get(word)
      if (cached !== undefined) return cached
      const term = internUncached(word)
      if (cachedTerms.size >= MAX_CACHED_WORDS) cachedTerms.clear()
      cachedTerms.set(detached(word), term)
      return term
    },
  }
}

/** One bit per letter of a word: words an edit apart differ in two bits at most, which rules out nearly all of them. */
export const letterMaskOf = (bytes: Uint8Array): number => {
  let set = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    set |= 1 << (byte >= 97 && byte <= 122 ? byte - 97 : byte & 31)
  }
  return set >>> 0
}
