import { createMatchFinder, type Match } from './matches.js'
import type { ParsedQuery } from './query.js'

const MAX_LENGTH = 240
const LEAD = 40

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!)

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

interface Range {
  start: number
  end: number
}

/**
 * The part of a text that says most about a query, as HTML whose only tag is `<mark>`. It is taken from the best passage,
 * unless all matches are outside it.
 */
const snippetOf = (text: string, matches: readonly Match[], passage: Range | undefined): string => {
  const inPassage = passage ? matches.filter(({ start, end }) => start >= passage.start && end <= passage.end) : matches
  const isFirst = passage !== undefined && matches.length === 0
  const window = isFirst
    ? { from: passage.start, to: passage.start }
    : bestWindow(inPassage.length > 0 ? inPassage : matches)
  const { start, end } = passageAround(text, window)
  return mark(text, start, end, matches)
}

/** Finds the words of texts that match a query, and the part that says most about it. */
export const createHighlighter = () => {
  const matchFinder = createMatchFinder()
  return (query: ParsedQuery, related?: ReadonlyMap<string, string>) => {
    const matchesIn = matchFinder(query, related)
    return (text: string) => {
      const matches = matchesIn(text)
      return { matches, snippetOf: (passage?: Range) => snippetOf(text, matches, passage) }
    }
  }
}

export type Highlighter = ReturnType<typeof createHighlighter>

const CHARACTERS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** The text of a snippet, without its marks and escapes. */
export const plainSnippet = (html: string): string =>
  html.replace(/<\/?mark>|&(?:amp|lt|gt|quot|#39);/g, (code) => CHARACTERS[code] ?? '')
