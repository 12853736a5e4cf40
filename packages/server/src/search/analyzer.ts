import {
  APOSTROPHE,
  CAPITAL,
  CONNECTOR,
  characterClasses,
  classOf,
  DENSE,
  DIGIT,
  isWordClass,
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

const emitWord = (word: string, isForm: boolean, emit: Emit) => {
  const folded = fold(word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word)
  if (folded !== '' && !isStopWord(folded)) emit(folded, isForm)
}

const emitDenseRun = (run: string, emit: Emit) => {
  let previous = ''
  for (const character of run) {
    emit(character, false)
    if (previous !== '') emit(previous + character, false)
    previous = character
  }
}

const emitAstral = (character: string, emit: Emit) => {
  const kind = classOf(character)
  if (kind !== 0 || PICTOGRAPH.test(character)) emit(fold(character), false)
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

const POSSESSIVE = /['\u2019\u02bc][sS]$/
const JOINTS = /[^\p{L}\p{N}\p{M}]+/gu

// Returns where the word, or the chain of words held together by connectors, ends.
const emitChain = (text: string, start: number, emit: Emit): number => {
  let partStart = start
  let at = start
  let parts = 0
  let isPlain = true
  let isCode = false
  for (;;) {
    let previous = kindAt(text, at)
    for (at++; at < text.length; at++) {
      const kind = kindAt(text, at)
      if (!isWordClass(kind)) break
      if (kind !== previous && !(kind === SMALL && previous === CAPITAL && at === partStart + 1)) isPlain = false
      previous = kind
    }
    const next = at < text.length ? kindAt(text, at) : 0
    let resume = at + 1
    if (next === CONNECTOR && kindAt(text, resume) === CONNECTOR) resume++
    const goesOn =
      (next === CONNECTOR || next === APOSTROPHE) && resume < text.length && isWordClass(kindAt(text, resume))
    if (!goesOn && parts === 0) {
      emitPart(text, start, at, isPlain, emit)
      return at
    }
    parts++
    const isSuffix = next !== APOSTROPHE && partStart > start && kindAt(text, partStart - 1) === APOSTROPHE
    // The s of "Anna's" and the t of "don't" are no words; the avion of "l'avion" is.
    if (!isSuffix || at - partStart > 2) emitPart(text, partStart, at, isPlain, emit)
    if (!goesOn) break
    if (next === CONNECTOR) isCode ||= text[at] !== '-'
    isCode ||= !isPlain
    isPlain = true
    partStart = resume
    at = resume
  }
  const whole = text.slice(start, at).replace(POSSESSIVE, '')
  const joined = whole.replace(JOINTS, '')
  if (joined.length < whole.length && whole.length <= MAX_WORD_LENGTH) {
    emitWord(joined, true, emit)
    if (isCode || !isPlain) emitWord(whole, true, emit)
  }
  return at
}

/** Text → the words to index or to look up, folded but not stemmed. */
export const analyze = (original: string, emit: Emit): void => {
  const text = normalize(original)
  const length = text.length
  let at = 0
  while (at < length) {
    const kind = kindAt(text, at)
    if (isWordClass(kind)) {
      at = emitChain(text, at, emit)
    } else if (kind === DENSE) {
      const start = at
      while (at < length && kindAt(text, at) === DENSE) at++
      emitDenseRun(text.slice(start, at), emit)
    } else if (kind === SURROGATE) {
      const character = String.fromCodePoint(text.codePointAt(at)!)
      emitAstral(character, emit)
      at += character.length
    } else at++
  }
}
