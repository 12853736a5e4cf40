import {
  APOSTROPHE,
  CAPITAL,
  CONNECTOR,
  characterClasses,
  classOf,
  DENSE,
  DIGIT,
  isDense,
  isWordClass,
  SEPARATOR,
  SMALL,
  SURROGATE,
} from './characters.js'
import { fold, normalize } from './fold.js'
import { isStopWord } from './stop-words.js'

// Raised whenever the same text would give other terms: stored snapshots of an older one are built anew.
export const ANALYZER_VERSION = 1

const MAX_WORD_LENGTH = 64
const PICTOGRAPH = /\p{Extended_Pictographic}/u

/** `isForm`: another spelling of words emitted on their own (an identifier whole or joined); adds no length. */
export type Emit = (word: string, isForm: boolean) => void

const kindAt = (text: string, at: number) => characterClasses[text.charCodeAt(at)]!

const emitWord = (written: string, isForm: boolean, emit: Emit) => {
  const word = fold(written.length > MAX_WORD_LENGTH ? written.slice(0, MAX_WORD_LENGTH) : written)
  if (word !== '' && !isStopWord(word)) emit(word, isForm)
}

const emitDenseRun = (run: string, emit: Emit) => {
  let previous = ''
  for (const character of run) {
    emit(character, false)
    if (previous !== '') emit(previous + character, false)
    previous = character
  }
}

const endOfDenseRun = (text: string, start: number) => {
  let at = start
  for (;;) {
    const kind = at < text.length ? kindAt(text, at) : SEPARATOR
    if (kind === DENSE) at++
    else if (kind === SURROGATE && isDense(String.fromCodePoint(text.codePointAt(at)!))) at += 2
    else return at
  }
}

const emitAstral = (character: string, emit: Emit) => {
  const kind = classOf(character)
  if (kind !== SEPARATOR || PICTOGRAPH.test(character)) emit(fold(character), false)
}

// `parseHTTPUrl2` holds parse, http and url; a part of one character says nothing.
const emitInnerParts = (text: string, start: number, end: number, emit: Emit): boolean => {
  let from = start
  let hasParts = false
  for (let at = start + 1; at <= end; at++) {
    if (at < end) {
      const before = kindAt(text, at - 1)
      const here = kindAt(text, at)
      const rises = here === CAPITAL && (before === SMALL || (at + 1 < end && kindAt(text, at + 1) === SMALL))
      const turnsDigit = (here === DIGIT) !== (before === DIGIT)
      if (!rises && !turnsDigit) continue
    }
    if (at - from > 1 && at - from < end - start) {
      emitWord(text.slice(from, at), false, emit)
      hasParts = true
    }
    from = at
  }
  return hasParts
}

const emitPart = (text: string, start: number, end: number, isPlain: boolean, emit: Emit) => {
  const hasParts = !isPlain && emitInnerParts(text, start, end, emit)
  emitWord(text.slice(start, end), hasParts, emit)
}

// What follows the apostrophe of "Anna's", "we'll" and, with the n before it, "don't" is no word.
const CONTRACTION = /['\u2019\u02bc](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/iuy
const JOINTS = /[^\p{L}\p{N}\p{M}]+/gu

// "time-sharing" is also written in one word, but as a whole it would be a rare twin of its parts.
const HYPHENATED = /^[\p{L}\p{M}'\u2019\u02bc-]+$/u

const emitForms = (whole: string, emit: Emit) => {
  if (whole.length > MAX_WORD_LENGTH) return
  emitWord(whole.replace(JOINTS, ''), true, emit)
  if (!HYPHENATED.test(whole)) emitWord(whole, true, emit)
}

const SIGNED_NAME = /^(?:c\+\+|[cf]#)/i

// Returns where the word, or the chain of words held together by connectors, ends.
const emitChain = (text: string, start: number, emit: Emit): number => {
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
      CONTRACTION.lastIndex = at
      const contraction = CONTRACTION.exec(text)
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
      emitPart(text, start, at, isPlain, emit)
      const signed = at - start === 1 && SIGNED_NAME.exec(text.slice(start, at + 2))
      if (signed) emitWord(signed[0], true, emit)
      return end
    }
    parts++
    // The l of "l'avion" and the g of "e.g." are no words; the 2 of "v1.2" is.
    if (at - partStart > 1 || kindAt(text, partStart) === DIGIT) emitPart(text, partStart, at, isPlain, emit)
    if (!goesOn) {
      emitForms(text.slice(start, at), emit)
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

/** Text → the words to index or to look up, folded but not stemmed. */
export const analyze = (original: string, emit: Emit): void => {
  const text = normalize(original)
  const length = text.length
  let at = 0
  while (at < length) {
    const kind = kindAt(text, at)
    if (isWordClass(kind)) {
      // The way of nearly all words.
      const plainEnd = endOfPlainWord(text, at, kind)
      if (plainEnd > 0) emitWord(text.slice(at, plainEnd), false, emit)
      at = plainEnd > 0 ? plainEnd : emitChain(text, at, emit)
      continue
    }
    const denseEnd = kind === DENSE || kind === SURROGATE ? endOfDenseRun(text, at) : at
    if (denseEnd > at) {
      emitDenseRun(text.slice(at, denseEnd), emit)
      at = denseEnd
    } else if (kind === SURROGATE) {
      const character = String.fromCodePoint(text.codePointAt(at)!)
      emitAstral(character, emit)
      at += character.length
    } else at++
  }
}
