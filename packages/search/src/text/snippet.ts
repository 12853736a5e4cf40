import { analyze } from './analyzer.js'
import { CAPITAL, characterClasses, isUnspaced, isWordClass, SMALL, SURROGATE, UNSPACED } from './characters.js'
import { fold, normalize } from './fold.js'
import type { ParsedQuery } from './query.js'
import { stemOf } from './stem.js'

const MAX_LENGTH = 240
const LEAD = 40
/** The bit that makes a capital letter of ASCII a small one. */
const LOWER_CASE = 0x20
const ASCII = 0x80

type Match = { start: number; end: number; term: string }

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!)

/** A word as it stands in a text: folded, and the terms that a search finds it by. */
interface AnalyzedWord {
  word: string
  terms: readonly string[]
}

type AnalyzeWord = (written: string) => AnalyzedWord

const analyzeWord: AnalyzeWord = (written) => {
  const word = fold(normalize(written))
  const terms = new Set([stemOf(word)])
  // A word such as camelCase matches by its parts.
  analyze(written, (part) => terms.add(stemOf(part)))
  return { word, terms: [...terms] }
}

// Texts repeat their words and each other's, and analyzing one costs more than all else that a snippet does.
const MAX_CACHED_WORDS = 20_000

const cached = (analyzeNew: AnalyzeWord): AnalyzeWord => {
  const words = new Map<string, AnalyzedWord>()
  return (written) => {
    const known = words.get(written)
    if (known) return known
    const analyzed = analyzeNew(written)
    if (words.size >= MAX_CACHED_WORDS) words.clear()
    words.set(written, analyzed)
    return analyzed
  }
}

const endOfUnspaced = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && characterClasses[text.charCodeAt(at)] === UNSPACED) at++
  return at
}

const matchUnspaced = (text: string, start: number, end: number, searched: ReadonlySet<string>, matches: Match[]) => {
  for (let at = start; at < end; at++) {
    for (const length of [2, 1]) {
      const term = text.slice(at, Math.min(end, at + length))
      if (searched.has(term)) matches.push({ start: at, end: at + length, term })
    }
  }
}

const matchesOf = (text: string, { isMatch, initials, searched }: Matcher): Match[] => {
  const matches: Match[] = []
  for (let start = 0; start < text.length; ) {
    const first = text.charCodeAt(start)
    const kind = characterClasses[first]!
    let end = start + 1
    if (kind === UNSPACED) {
      end = endOfUnspaced(text, start)
      matchUnspaced(text, start, end, searched, matches)
    } else if (kind === SURROGATE || isWordClass(kind)) {
      if (kind === SURROGATE) end = start + String.fromCodePoint(text.codePointAt(start)!).length
      // Small letters of ASCII, of which the first may be a capital: nearly all words are told apart by it.
      let isPlain = first < ASCII && (kind === SMALL || kind === CAPITAL)
      for (; kind !== SURROGATE && end < text.length; end++) {
        const unit = text.charCodeAt(end)
        const next = characterClasses[unit]!
        if (!isWordClass(next)) break
        if (next !== SMALL || unit >= ASCII) isPlain = false
      }
      if (!isPlain || initials[first | LOWER_CASE] === 1) {
        const term = isMatch(text.slice(start, end))
        if (term !== undefined) matches.push({ start, end, term })
      }
    }
    start = end
  }
  return matches
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

const isSmall = (text: string, at: number): boolean => characterClasses[text.charCodeAt(at)] === SMALL

/**
 * The same for a text in ASCII: there a word that matches, or a part of it such as one of camelCase, begins with the
 * letters that a term begins with, so that only the words around these are looked at.
 */
const matchesInAscii = (text: string, { isMatch, beginnings }: Matcher): Match[] => {
  const matches: Match[] = []
  if (!beginnings) return matches
  beginnings.lastIndex = 0
  for (let found = beginnings.exec(text); found; found = beginnings.exec(text)) {
    const { index } = found
    // No part of a word begins between two small letters. Looked at first: a word can be as long as the text.
    if (index > 0 && isSmall(text, index - 1) && isSmall(text, index)) {
      beginnings.lastIndex = index + 1
      continue
    }
    let start = index
    while (start > 0 && isWordClass(characterClasses[text.charCodeAt(start - 1)]!)) start--
    let end = index + 1
    while (end < text.length && isWordClass(characterClasses[text.charCodeAt(end)]!)) end++
    const term = isMatch(text.slice(start, end))
    if (term !== undefined) matches.push({ start, end, term })
    beginnings.lastIndex = end
  }
  return matches
}

// The window of the text that holds the most different words of the query, the earliest of equals.
const bestWindow = (matches: readonly Match[]): { from: number; to: number } => {
  const inside = new Map<string, number>()
  let chosen = { from: 0, to: 0 }
  let most = 0
  let first = 0
  for (const [last, match] of matches.entries()) {
    inside.set(match.term, (inside.get(match.term) ?? 0) + 1)
    while (match.end - matches[first]!.start > MAX_LENGTH - LEAD && first < last) {
      const { term } = matches[first++]!
      const left = inside.get(term)! - 1
      if (left === 0) inside.delete(term)
      else inside.set(term, left)
    }
    const worth = inside.size * 1000 + (last - first)
    if (worth > most) {
      most = worth
      chosen = { from: matches[first]!.start, to: match.end }
    }
  }
  return chosen
}

// Begins at a sentence or at least a word, ends at a word, and never parts a surrogate pair.
const passageAround = (text: string, window: { from: number; to: number }) => {
  if (text.length <= MAX_LENGTH) return { start: 0, end: text.length }
  const earliest = Math.max(0, Math.min(window.from - LEAD, window.from))
  const lead = text.slice(earliest, window.from)
  const sentence = Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf('. ') + 1)
  const cut = sentence > 0 ? sentence + 1 : earliest === 0 ? 0 : lead.search(/\s/) + 1
  const start = cut > 0 || earliest === 0 ? earliest + cut : window.from
  let end = Math.min(text.length, start + MAX_LENGTH)
  if (end < text.length) {
    let space = end - 1
    while (space > start && text[space]!.trim() !== '') space--
    if (space > start && space >= window.to) end = space
    else if (/[\ud800-\udbff]/.test(text[end - 1]!)) end--
  }
  return { start, end }
}

const mark = (text: string, start: number, end: number, matches: readonly Match[]) => {
  let html = ''
  let at = start
  for (let i = 0; i < matches.length; i++) {
    const match = matches[i]!
    if (match.start < at || match.end > end) continue
    let to = match.end
    while (matches[i + 1] && matches[i + 1]!.start <= to && matches[i + 1]!.end <= end)
      to = Math.max(to, matches[++i]!.end)
    html += `${escapeHtml(text.slice(at, match.start))}<mark>${escapeHtml(text.slice(match.start, to))}</mark>`
    at = to
  }
  return (html + escapeHtml(text.slice(at, end))).trim()
}

interface Matcher {
  /** The term of the query that a word matches. */
  isMatch(written: string): string | undefined
  /** By the code of a small letter of ASCII: whether a word of plain letters that begins with it can match. */
  initials: Readonly<Uint8Array>
  searched: ReadonlySet<string>
  /** How the terms that a text in ASCII can hold begin; undefined where there are none. */
  beginnings: RegExp | undefined
}

/** A stem begins as its word does, but that it may have an i for a y, and an e in the end. */
const beginningOf = (term: string): string => (term.length > 2 && !/[iy]/.test(term[1]!) ? term.slice(0, 2) : term[0]!)

// To compile one takes as long as to look through several texts, and there are few.
const MAX_CACHED_PATTERNS = 500

const createPatterns = () => {
  const patterns = new Map<string, RegExp>()
  return (terms: Iterable<string>): RegExp | undefined => {
    const inAscii = [...terms].filter((term) => term !== '' && isAscii(term))
    if (inAscii.length === 0) return undefined
    const source = [...new Set(inAscii.map(beginningOf))]
      .sort()
      .map((text) => text.replace(/[^a-z0-9]/g, '\\$&'))
      .join('|')
    let pattern = patterns.get(source)
    if (!pattern) {
      pattern = new RegExp(source, 'gi')
      if (patterns.size >= MAX_CACHED_PATTERNS) patterns.clear()
      patterns.set(source, pattern)
    }
    return pattern
  }
}

const createMatcher = (
  { words, prefix = '' }: ParsedQuery,
  analyzed: AnalyzeWord,
  patternOf: (terms: Iterable<string>) => RegExp | undefined,
): Matcher => {
  const stems = words.map(({ word }) => stemOf(word))
  const hasPairs = stems.some((stem) => stem.length > 1 && isUnspaced(stem[0]!))
  // Characters alone would mark every の where the query is a longer text.
  const searched = new Set(hasPairs ? stems.filter((stem) => stem.length > 1) : stems)
  // A stem begins as its word does, and so does a folded word of plain letters.
  const initials = new Uint8Array(ASCII)
  for (const term of [...searched, prefix]) if (term.charCodeAt(0) < ASCII) initials[term.charCodeAt(0)] = 1

  return {
    searched,
    initials,
    beginnings: patternOf([...searched, prefix]),
    isMatch: (written) => {
      const { word, terms } = analyzed(written)
      for (const term of terms) if (searched.has(term)) return term
      return prefix.length > 2 && word.startsWith(prefix) ? prefix : undefined
    },
  }
}

/** Finds the passage of a text that says most about a query, as HTML whose only tag is `<mark>`. */
export const createHighlighter = () => {
  const analyzed = cached(analyzeWord)
  const patternOf = createPatterns()
  return (query: ParsedQuery) => {
    const matcher = createMatcher(query, analyzed, patternOf)
    return (text: string): string => {
      const matches = isAscii(text) ? matchesInAscii(text, matcher) : matchesOf(text, matcher)
      const { start, end } = passageAround(text, bestWindow(matches))
      return mark(text, start, end, matches)
    }
  }
}

export type Highlighter = ReturnType<typeof createHighlighter>
