import { analyze } from './analyzer.js'
import { CAPITAL, characterClasses, DENSE, isDense, isWordClass, SMALL, SURROGATE } from './characters.js'
import { fold, normalize } from './fold.js'
import type { ParsedQuery } from './query.js'
import { stemOf } from './vocabulary.js'

const MAX_LENGTH = 240
const LEAD = 40
/** The bit that makes a capital letter of ASCII a small one. */
const LOWER_CASE = 0x20

type Match = { start: number; end: number; term: string }

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!)

/** A word as it stands in a text: folded, and the terms that a search finds it by. */
interface KnownWord {
  word: string
  terms: readonly string[]
}

// Texts repeat their words and each other's, and to work one out costs more than all else that a snippet does.
const MAX_KNOWN_WORDS = 20_000
const knownWords = new Map<string, KnownWord>()

const knownWord = (written: string): KnownWord => {
  const known = knownWords.get(written)
  if (known) return known
  const word = fold(normalize(written))
  const terms = new Set([stemOf(word)])
  // A word such as camelCase matches by its parts.
  analyze(written, (part) => terms.add(stemOf(part)))
  const found = { word, terms: [...terms] }
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear()
  knownWords.set(written, found)
  return found
}

// Where the run of one kind that begins here ends: of letters and digits, or of a script without spaces.
const endOfRun = (text: string, start: number, kind: number): number => {
  if (kind === SURROGATE) return start + String.fromCodePoint(text.codePointAt(start)!).length
  let at = start + 1
  while (at < text.length) {
    const next = characterClasses[text.charCodeAt(at)]!
    if (kind === DENSE ? next !== DENSE : !isWordClass(next)) break
    at++
  }
  return at
}

const matchesOf = (text: string, { isMatch, mayBegin, sought }: Matcher): Match[] => {
  const matches: Match[] = []
  for (let start = 0; start < text.length; ) {
    const kind = characterClasses[text.charCodeAt(start)]!
    if (kind !== DENSE && kind !== SURROGATE && !isWordClass(kind)) {
      start++
      continue
    }
    const end = endOfRun(text, start, kind)
    if (kind === DENSE) {
      for (let at = start; at < end; at++) {
        for (const length of [2, 1]) {
          const term = text.slice(at, Math.min(end, at + length))
          if (sought.has(term)) matches.push({ start: at, end: at + length, term })
        }
      }
    } else if (mayBegin(text, start, end)) {
      const term = isMatch(text.slice(start, end))
      if (term !== undefined) matches.push({ start, end, term })
    }
    start = end
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
    const space = text.slice(start, end).search(/\s\S*$/)
    if (space > 0 && start + space >= window.to) end = start + space
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

const isPlainWord = (text: string, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    const kind = characterClasses[unit]!
    if (unit > 127 || !(kind === SMALL || (kind === CAPITAL && at === start))) return false
  }
  return true
}

interface Matcher {
  /** The term of the query that a word matches. */
  isMatch(written: string): string | undefined
  /** False for nearly all words that do not match, and never for one that does. */
  mayBegin(text: string, start: number, end: number): boolean
  sought: ReadonlySet<string>
}

const createMatcher = ({ words, beginning = '' }: ParsedQuery): Matcher => {
  const stems = words.map(({ word }) => stemOf(word))
  const hasPairs = stems.some((stem) => stem.length > 1 && isDense(stem[0]!))
  // Characters alone would mark every の where the query is a longer text.
  const sought = new Set(hasPairs ? stems.filter((stem) => stem.length > 1) : stems)
  // A stem begins as its word does, and so does a folded word of plain letters.
  const initials = new Set([...sought, beginning].map((term) => term.charCodeAt(0)))

  return {
    sought,
    isMatch: (written) => {
      const { word, terms } = knownWord(written)
      for (const term of terms) if (sought.has(term)) return term
      return beginning.length > 2 && word.startsWith(beginning) ? beginning : undefined
    },
    mayBegin: (text, start, end) => initials.has(text.charCodeAt(start) | LOWER_CASE) || !isPlainWord(text, start, end),
  }
}

/** The passage of a text that says most about the query, as HTML whose only tag is `<mark>`. */
export const createSnippets = (query: ParsedQuery) => {
  const matcher = createMatcher(query)
  return (text: string): string => {
    const matches = matchesOf(text, matcher)
    const { start, end } = passageAround(text, bestWindow(matches))
    return mark(text, start, end, matches)
  }
}
