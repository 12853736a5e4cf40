import { analyze } from './analyzer.js'
import { isDense } from './characters.js'
import { fold, normalize } from './fold.js'
import type { ParsedQuery } from './query.js'
import { stemOf } from './vocabulary.js'

const MAX_LENGTH = 240
// Reading on in a long text costs more than a better passage is worth.
const MAX_READ = 100_000
const LEAD = 40
const WORD = /[\p{L}\p{N}\p{M}]+/gu

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

const matchesOf = (
  text: string,
  isMatch: (word: string) => string | undefined,
  sought: ReadonlySet<string>,
): Match[] => {
  const matches: Match[] = []
  for (const { 0: written, index: start } of text.matchAll(WORD)) {
    if (!isDense(written[0]!)) {
      const term = isMatch(written)
      if (term !== undefined) matches.push({ start, end: start + written.length, term })
      continue
    }
    for (let at = 0; at < written.length; at++) {
      for (const length of [2, 1]) {
        const term = written.slice(at, at + length)
        if (sought.has(term)) matches.push({ start: start + at, end: start + at + length, term })
      }
    }
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

/** The passage of a text that says most about the query, as HTML whose only tag is `<mark>`. */
export const createSnippets = (query: ParsedQuery) => {
  const stems = query.words.map(({ word }) => stemOf(word))
  const hasPairs = stems.some((stem) => stem.length > 1 && isDense(stem[0]!))
  // Characters alone would mark every の where the query is a longer text.
  const sought = new Set(hasPairs ? stems.filter((stem) => stem.length > 1) : stems)
  const { beginning } = query

  const isMatch = (written: string): string | undefined => {
    const { word, terms } = knownWord(written)
    for (const term of terms) if (sought.has(term)) return term
    return beginning !== undefined && beginning.length > 2 && word.startsWith(beginning) ? beginning : undefined
  }

  return (content: string): string => {
    const text = content.slice(0, MAX_READ)
    const matches = matchesOf(text, isMatch, sought)
    const { start, end } = passageAround(text, bestWindow(matches))
    return mark(text, start, end, matches)
  }
}
