import {
  APOSTROPHE,
  CAPITAL,
  CONNECTOR,
  characterClasses,
  classOf,
  DIGIT,
  isUnspaced,
  isWordClass,
  SEPARATOR,
  SMALL,
  SURROGATE,
  UNSPACED,
} from './characters.js'
import { fold, normalize } from './fold.js'
import { isStopWord } from './stop-words.js'

// Raised whenever the same text would give other terms or passages: stored snapshots of an older one are built anew.
export const ANALYZER_VERSION = 5

const MAX_WORD_LENGTH = 64
const PICTOGRAPH = /\p{Extended_Pictographic}/u

/** `isVariant`: another spelling of words emitted on their own (an identifier whole or joined); adds no length. */
type Emit = (word: string, isVariant: boolean) => void

interface Sink {
  emit: Emit
  onStopWord: ((word: string) => void) | undefined
}

const kindAt = (text: string, at: number) => characterClasses[text.charCodeAt(at)]!

const emitWord = (written: string, isVariant: boolean, sink: Sink) => {
  const word = fold(written.length > MAX_WORD_LENGTH ? written.slice(0, MAX_WORD_LENGTH) : written)
  if (word === '') return
  if (!isStopWord(word)) sink.emit(word, isVariant)
  else if (!isVariant) sink.onStopWord?.(word)
}

const emitUnspacedRun = (run: string, sink: Sink) => {
  let previous = ''
  for (const character of run) {
    sink.emit(character, false)
    if (previous !== '') sink.emit(previous + character, false)
    previous = character
  }
}

const endOfUnspacedRun = (text: string, start: number) => {
  let at = start
  for (;;) {
    const kind = at < text.length ? kindAt(text, at) : SEPARATOR
    if (kind === UNSPACED) at++
    else if (kind === SURROGATE && isUnspaced(String.fromCodePoint(text.codePointAt(at)!))) at += 2
    else return at
  }
}

const emitAstral = (character: string, sink: Sink) => {
  const kind = classOf(character)
  if (kind !== SEPARATOR || PICTOGRAPH.test(character)) sink.emit(fold(character), false)
}

const SHORTEST_PART_OF_CODE = 3

/** Whether so many letters stand side by side that they are no mere part of a code. */
const holdsWord = (text: string, start: number, end: number): boolean => {
  let letters = 0
  for (let at = start; at < end; at++) {
    letters = kindAt(text, at) === DIGIT ? 0 : letters + 1
    if (letters === SHORTEST_PART_OF_CODE) return true
  }
  return false
}

// `parseHTTPUrl2` holds parse, http and url; a part of one character says nothing, nor do two letters or digits in a
// code such as `i18n`, `a11y`, `2FA` and `x86`.
const emitInnerParts = (text: string, start: number, end: number, sink: Sink): boolean => {
  let from = start
  let hasParts = false
  const shortest = holdsWord(text, start, end) ? 2 : SHORTEST_PART_OF_CODE
  for (let at = start + 1; at <= end; at++) {
    if (at < end) {
      const before = kindAt(text, at - 1)
      const here = kindAt(text, at)
      const rises = here === CAPITAL && (before === SMALL || (at + 1 < end && kindAt(text, at + 1) === SMALL))
      const turnsDigit = (here === DIGIT) !== (before === DIGIT)
      if (!rises && !turnsDigit) continue
    }
    if (at - from >= shortest && at - from < end - start) {
      emitWord(text.slice(from, at), false, sink)
      hasParts = true
    }
    from = at
  }
  return hasParts
}

const emitPart = (text: string, start: number, end: number, isPlain: boolean, sink: Sink) => {
  const hasParts = !isPlain && emitInnerParts(text, start, end, sink)
  emitWord(text.slice(start, end), hasParts, sink)
}

// What follows the apostrophe of "Anna's", "we'll" and, with the n before it, "don't" is no word.
const CONTRACTION = /^['\u2019\u02bc](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/iu
// An apostrophe, two letters, and the character that must not go on.
const CONTRACTION_LENGTH = 5
const JOINTS = /[^\p{L}\p{N}\p{M}]+/gu

// "time-sharing" is also written in one word, but as a whole it would be a rare twin of its parts.
const HYPHENATED = /^[\p{L}\p{M}'\u2019\u02bc-]+$/u

const emitVariants = (whole: string, sink: Sink) => {
  if (whole.length > MAX_WORD_LENGTH) return
  emitWord(whole.replace(JOINTS, ''), true, sink)
  if (!HYPHENATED.test(whole)) emitWord(whole, true, sink)
}

const SIGNED_NAME = /^(?:c\+\+|[cf]#)/i

// Returns where the word, or the chain of words held together by connectors, ends.
const emitChain = (text: string, start: number, sink: Sink): number => {
  let partStart = start
  let at = start
  let parts = 0
  let isPlain = true
  for (;;) {
    let previous = kindAt(text, at)
    for (at++; at < text.length; at++) {
      const kind = kindAt(text, at)
      if (!isWordClass(kind)) break
      if (kind !== previous && !(kind === SMALL && previous === CAPITAL && at === partStart + 1)) isPlain = false
      previous = kind
    }
    let next = at < text.length ? kindAt(text, at) : 0
    let end = at
    if (next === APOSTROPHE) {
      const contraction = CONTRACTION.exec(text.slice(at, at + CONTRACTION_LENGTH))
      if (contraction) {
        if (/^.t/i.test(contraction[0]) && /n$/i.test(text[at - 1]!)) at--
        next = SEPARATOR
        end += contraction[0].length
      }
    }
    let resume = at + 1
    if (next === CONNECTOR && kindAt(text, resume) === CONNECTOR) resume++
    const goesOn =
      (next === CONNECTOR || next === APOSTROPHE) && resume < text.length && isWordClass(kindAt(text, resume))
    if (!goesOn && parts === 0) {
      emitPart(text, start, at, isPlain, sink)
      const signed = at - start === 1 && SIGNED_NAME.exec(text.slice(start, at + 2))
      if (signed) emitWord(signed[0], true, sink)
      return end
    }
    parts++
    // The l of "l'avion" and the g of "e.g." are no words; the 2 of "v1.2" is.
    if (at - partStart > 1 || kindAt(text, partStart) === DIGIT) emitPart(text, partStart, at, isPlain, sink)
    if (!goesOn) {
      emitVariants(text.slice(start, at), sink)
      return end
    }
    isPlain = true
    partStart = resume
    at = resume
  }
}

// Where a word of letters in one case, or of digits, ends, if nothing holds it to what follows; else -1.
const endOfPlainWord = (text: string, start: number, first: number): number => {
  const length = text.length
  let previous = first
  for (let at = start + 1; at < length; at++) {
    const kind = characterClasses[text.charCodeAt(at)]!
    if (kind === previous) continue
    if (kind === SEPARATOR) return at - start > 1 ? at : -1
    if (kind !== SMALL || previous !== CAPITAL || at !== start + 1) return -1
    previous = kind
  }
  return length
}

// 1,250,000: a comma before every three digits. Lists of numbers have other groups, or spaces.
const GROUPED_NUMBER = /^\d{1,3}(?:,\d{3})+(?![\d,])/
const LONGEST_GROUPED_NUMBER = 32

/** Where a number whose digits are grouped ends, if one begins here; else -1. */
const emitGroupedNumber = (text: string, start: number, sink: Sink): number => {
  const isGrouped = text[start + 1] === ',' || text[start + 2] === ',' || text[start + 3] === ','
  if (!isGrouped) return -1
  const [number] = GROUPED_NUMBER.exec(text.slice(start, start + LONGEST_GROUPED_NUMBER)) ?? []
  if (number === undefined) return -1
  emitWord(number.replaceAll(',', ''), false, sink)
  return start + number.length
}

/** Text → the words to index or to look up, folded but not stemmed; stop words are told apart. */
export const analyze = (original: string, emit: Emit, onStopWord?: (word: string) => void): void => {
  const sink: Sink = { emit, onStopWord }
  const text = normalize(original)
  const length = text.length
  let at = 0
  while (at < length) {
    const kind = kindAt(text, at)
    const numberEnd = kind === DIGIT ? emitGroupedNumber(text, at, sink) : -1
    if (numberEnd > 0) {
      at = numberEnd
      continue
    }
    if (isWordClass(kind)) {
      // The way of nearly all words.
      const plainEnd = endOfPlainWord(text, at, kind)
      if (plainEnd > 0) emitWord(text.slice(at, plainEnd), false, sink)
      at = plainEnd > 0 ? plainEnd : emitChain(text, at, sink)
      continue
    }
    const unspacedEnd = kind === UNSPACED || kind === SURROGATE ? endOfUnspacedRun(text, at) : at
    if (unspacedEnd > at) {
      emitUnspacedRun(text.slice(at, unspacedEnd), sink)
      at = unspacedEnd
    } else if (kind === SURROGATE) {
      const character = String.fromCodePoint(text.codePointAt(at)!)
      emitAstral(character, sink)
      at += character.length
    } else at++
  }
}
