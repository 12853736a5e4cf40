import { analyze } from './analyzer.js'
import { CAPITAL, characterClasses, isUnspaced, isWordClass, SMALL, SURROGATE, UNSPACED } from './characters.js'
import { detached } from './detached.js'
import { fold, normalize } from './fold.js'
import { joinedForm, joinedWords } from './joined-words.js'
import { stemOf } from './porter2.js'
import type { ParsedQuery } from './query.js'
import { stopWordFinder } from './stop-word-matches.js'

/** The bit that makes a capital letter of ASCII a small one. */
const LOWER_CASE = 0x20
const ASCII = 0x80

/** A word of a text, and the term of the query that it matches. */
export interface Match {
  start: number
  end: number
  term: string
}

/** A word as it stands in a text: folded, and the terms that a search finds it by. */
interface AnalyzedWord {
  word: string
  terms: readonly string[]
}

const isBefore = (a: Match, b: Match) => a.start - b.start

type AnalyzeWord = (written: string) => AnalyzedWord

/** In characters: of what is longer and has no space in it, the beginning is looked at. */
const MAX_ANALYZED_LENGTH = 1_000

const analyzeWord: AnalyzeWord = (whole) => {
  const written = whole.slice(0, MAX_ANALYZED_LENGTH)
  const word = fold(normalize(written))
  const terms = new Set([stemOf(word)])
  // A word such as camelCase matches by its parts.
  analyze(written, (part) => terms.add(stemOf(part)))
  return { word, terms: [...terms] }
}

// Texts repeat their words and each other's, and analyzing one costs more than all else that a snippet does.
const MAX_CACHED_WORDS = 20_000
const MAX_CACHED_LENGTH = 64

const cached = (analyzeNew: AnalyzeWord): AnalyzeWord => {
  const words = new Map<string, AnalyzedWord>()
  return (written) => {
    if (written.length > MAX_CACHED_LENGTH) return analyzeNew(written)
    const known = words.get(written)
    if (known) return known
    const word = detached(written)
    const analyzed = analyzeNew(word)
    if (words.size >= MAX_CACHED_WORDS) words.clear()
    words.set(word, analyzed)
    return analyzed
  }
}

interface Matcher {
  /** The term of the query that a word matches. */
  isMatch(written: string): string | undefined
  /** The same of one that is given as it is searched for. */
  isJoinedMatch(word: string): string | undefined
  /** By the code of a small letter of ASCII: whether a word of plain letters that begins with it can match. */
  initials: Readonly<Uint8Array>
  /** Stems that match, with the terms of the query that they stand for. */
  searched: ReadonlyMap<string, string>
  /** How the terms begin that a text in ASCII can hold; none begins as another does. */
  beginnings: readonly string[]
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** A word begins as its stem does, but for the last two letters of it, and for the y of dying, whose stem is die. */
const beginningOf = (stem: string): string => {
  const shortest = stem.length > 2 && !/[iy]/.test(stem[1]!) ? 2 : 1
  return stem.slice(0, Math.max(shortest, stem.length - 2))
}

const beginningsOf = (searched: Iterable<string>, prefix: string): string[] => {
  const kept: string[] = []
  const all = [...Array.from(searched, beginningOf), prefix].filter((text) => text !== '' && isAscii(text))
  for (const text of all.sort()) if (kept.length === 0 || !text.startsWith(kept.at(-1)!)) kept.push(text)
  return kept
}

const createMatcher = (
  { words, prefix = '' }: ParsedQuery,
  related: ReadonlyMap<string, string>,
  analyzed: AnalyzeWord,
): Matcher => {
  const stems = words.map(({ word }) => stemOf(word))
  const hasPairs = stems.some((stem) => stem.length > 1 && isUnspaced(stem[0]!))
  // Characters alone would mark every の where the query is a longer text.
  const own = hasPairs ? stems.filter((stem) => stem.length > 1) : stems
  const searched = new Map([...related, ...own.map((stem) => [stem, stem] as const)])
  const beginnings = beginningsOf(searched.keys(), prefix)
  const initials = new Uint8Array(ASCII)
  for (const beginning of beginnings) initials[beginning.charCodeAt(0)] = 1

  const completed = (word: string) => (prefix.length > 2 && word.startsWith(prefix) ? prefix : undefined)

  return {
    searched,
    beginnings,
    initials,
    isMatch: (written) => {
      const { word, terms } = analyzed(written)
      for (const term of terms) if (searched.has(term)) return searched.get(term)
      return completed(word)
    },
    isJoinedMatch: (word) => searched.get(stemOf(word)) ?? completed(word),
  }
}

const kindAt = (text: string, at: number): number => characterClasses[text.charCodeAt(at)]!

const endOfUnspaced = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && kindAt(text, at) === UNSPACED) at++
  return at
}

const matchUnspaced = (text: string, start: number, { searched }: Matcher, matches: Match[]): number => {
  const end = endOfUnspaced(text, start)
  for (let at = start; at < end; at++) {
    for (const length of [2, 1]) {
      const term = text.slice(at, at + length)
      if (at + length <= end && searched.has(term)) matches.push({ start: at, end: at + length, term })
    }
  }
  return end
}

const matchWord = (text: string, start: number, end: number, { isMatch }: Matcher, matches: Match[]): number => {
  const term = isMatch(text.slice(start, end))
  if (term !== undefined) matches.push({ start, end, term })
  return end
}

const matchAstral = (text: string, start: number, matcher: Matcher, matches: Match[]): number =>
  matchWord(text, start, start + String.fromCodePoint(text.codePointAt(start)!).length, matcher, matches)

const matchesInWords = (text: string, matcher: Matcher): Match[] => {
  const matches: Match[] = []
  for (let start = 0; start < text.length; ) {
    const first = text.charCodeAt(start)
    const kind = characterClasses[first]!
    let end = start + 1
    if (kind === UNSPACED) end = matchUnspaced(text, start, matcher, matches)
    else if (kind === SURROGATE) end = matchAstral(text, start, matcher, matches)
    else if (isWordClass(kind)) {
      // Small letters of ASCII, of which the first may be a capital.
      let isPlain = first < ASCII && (kind === SMALL || kind === CAPITAL)
      for (; end < text.length; end++) {
        const unit = text.charCodeAt(end)
        const next = characterClasses[unit]!
        if (!isWordClass(next)) break
        if (next !== SMALL || unit >= ASCII) isPlain = false
      }
      if (!isPlain || matcher.initials[first | LOWER_CASE] === 1) matchWord(text, start, end, matcher, matches)
    }
    start = end
  }
  return matches
}

const matchAround = (text: string, at: number, matcher: Matcher, matches: Match[]): number => {
  let start = at
  while (start > 0 && isWordClass(kindAt(text, start - 1))) start--
  let end = at + 1
  while (end < text.length && isWordClass(kindAt(text, end))) end++
  return matchWord(text, start, end, matcher, matches)
}

const matchBeginning = (text: string, small: string, beginning: string, matcher: Matcher, matches: Match[]) => {
  for (let at = small.indexOf(beginning); at >= 0; ) {
    // No part of a word begins between two small letters. Looked at first: a word can be as long as the text.
    const isInside = at > 0 && kindAt(text, at - 1) === SMALL && kindAt(text, at) === SMALL
    at = small.indexOf(beginning, isInside ? at + 1 : matchAround(text, at, matcher, matches))
  }
}

const matchOutsideAscii = (text: string, matcher: Matcher, matches: Match[]) => {
  const other = /[^\x00-\x7f]/g
  for (let found = other.exec(text); found; found = other.exec(text)) {
    const at = found.index
    const kind = kindAt(text, at)
    if (kind === UNSPACED) other.lastIndex = matchUnspaced(text, at, matcher, matches)
    else if (kind === SURROGATE) other.lastIndex = matchAstral(text, at, matcher, matches)
    else if (isWordClass(kind)) other.lastIndex = matchAround(text, at, matcher, matches)
  }
}

/**
 * Looks at few of the words, given the text in `small` letters: one in ASCII that matches, or a part of it such as one
 * of camelCase, begins as a term does.
 */
const matchesByBeginning = (text: string, small: string, matcher: Matcher): Match[] => {
  const { beginnings } = matcher
  const matches: Match[] = []
  for (const beginning of beginnings) matchBeginning(text, small, beginning, matcher, matches)
  const isOnlyAscii = isAscii(text)
  if (!isOnlyAscii) matchOutsideAscii(text, matcher, matches)
  if (isOnlyAscii && beginnings.length === 1) return matches
  return matches
    .sort(isBefore)
    .filter(({ start, end }, at, sorted) => start !== sorted[at - 1]?.start || end !== sorted[at - 1]?.end)
}

// Each is looked for in the whole text; with more of them it takes less to look at each word.
const MAX_BEGINNINGS = 16

/** Adds those whose joined form matches and none of whose parts does: time-sharing, where timesharing is searched for. */
const withJoined = (text: string, matcher: Matcher, matches: Match[]): Match[] => {
  const joined: Match[] = []
  let at = 0
  for (const { start, end } of joinedWords(text)) {
    const first = text.charCodeAt(start)
    if (first < ASCII && matcher.initials[first | LOWER_CASE] === 0) continue
    const term = matcher.isJoinedMatch(joinedForm(text.slice(start, end)))
    if (term === undefined) continue
    while (at < matches.length && matches[at]!.end <= start) at++
    if (at === matches.length || matches[at]!.start >= end) joined.push({ start, end, term })
  }
  return joined.length === 0 ? matches : [...matches, ...joined].sort(isBefore)
}

/** Finds the words of texts that match a query, in their order. */
export const createMatchFinder = () => {
  const analyzed = cached(analyzeWord)
  return (query: ParsedQuery, related: ReadonlyMap<string, string> = new Map()) => {
    const matcher = createMatcher(query, related, analyzed)
    const stopWordsIn = stopWordFinder(query)
    return (text: string): Match[] => {
      const small = text.toLowerCase()
      // Some capital letters, such as İ, become two characters: then what follows is no longer at the same place.
      const isFew = matcher.beginnings.length <= MAX_BEGINNINGS && small.length === text.length
      const matches = isFew ? matchesByBeginning(text, small, matcher) : matchesInWords(text, matcher)
      const stopWords = stopWordsIn(text)
      const all = withJoined(text, matcher, matches)
      return stopWords.length === 0 ? all : [...all, ...stopWords].sort(isBefore)
    }
  }
}
