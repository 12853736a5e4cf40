import type { Match } from '../text/matches.js'
import { type Section, sectionsOf } from './sections.js'

/** A part of a text that says something about a query. */
export interface Passage {
  text: string
  /** The headings that it stands below, the outermost first. */
  headings: string[]
  /** Where it stands in the text. */
  start: number
  end: number
  /** The line that it begins with, from 1. */
  line: number
  /** From 0 to 1, by its words and, where that is known, its meaning. */
  score: number
}

/** How near windows of a text are to a query in meaning. */
export interface WindowCosine {
  start: number
  end: number
  cosine: number
}

interface PassageQuery {
  /** The words of the text that match, in their order. */
  matches: readonly Match[]
  /** How rare a term is. */
  weightOf(term: string): number
  /** Of all terms of the query. */
  totalWeight: number
  windows: readonly WindowCosine[]
}

const K1 = 1.2
const B = 0.5
/** A word of a heading counts for all that is below it. */
const HEADING_WEIGHT = 0.7
const MEANING_WEIGHT = 0.5

/** The matches within a range, of matches in their order. */
const matchesWithin = (matches: readonly Match[], start: number, end: number): readonly Match[] => {
  let low = 0
  let high = matches.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (matches[middle]!.start < start) low = middle + 1
    else high = middle
  }
  let last = low
  while (last < matches.length && matches[last]!.end <= end) last++
  return matches.slice(low, last)
}

const wordScore = (
  { start, end, headings }: Section,
  { matches, weightOf, totalWeight }: PassageQuery,
  averageLength: number,
): number => {
  const frequencies = new Map<string, number>()
  const count = (range: { start: number; end: number }, weight: number) => {
    for (const { term } of matchesWithin(matches, range.start, range.end)) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + weight)
    }
  }
  count({ start, end }, 1)
  // Its own heading stands in the section itself.
  for (const heading of headings) if (heading.start < start || heading.end > end) count(heading, HEADING_WEIGHT)
  const norm = K1 * (1 - B + (B * (end - start)) / averageLength)
  let score = 0
  for (const [term, frequency] of frequencies) score += (weightOf(term) * frequency * (K1 + 1)) / (frequency + norm)
  return totalWeight === 0 ? 0 : score / (totalWeight * (K1 + 1))
}

/** Of the window that has most of a section in it. */
const cosineOf = ({ start, end }: Section, windows: readonly WindowCosine[]): number => {
  let best = 0
  let most = 0
  for (const window of windows) {
    const shared = Math.min(end, window.end) - Math.max(start, window.start)
    if (shared > most || (shared === most && shared > 0 && window.cosine > best)) {
      most = shared
      best = window.cosine
    }
  }
  return Math.max(0, best)
}

const lineAt = (text: string, position: number): number => {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** Up to `count` passages of a text, best first; the first of its sections where nothing in it matches. */
export const bestPassages = (text: string, count: number, query: PassageQuery): Passage[] => {
  const sections = sectionsOf(text)
  if (sections.length === 0 || count === 0) return []
  const averageLength = sections.reduce((sum, { start, end }) => sum + end - start, 0) / sections.length
  const hasMeaning = query.windows.length > 0
  const scored = sections.map((section) => {
    const byWords = wordScore(section, query, averageLength)
    const score = hasMeaning
      ? (1 - MEANING_WEIGHT) * byWords + MEANING_WEIGHT * cosineOf(section, query.windows)
      : byWords
    return { section, score: Math.min(1, score) }
  })
  const isGood = ({ score }: { score: number }) => score > 0
  const best = scored.toSorted((a, b) => b.score - a.score || a.section.start - b.section.start)
  const kept = best.some(isGood) ? best.filter(isGood) : scored.slice(0, 1)
  return kept.slice(0, count).map(({ section: { start, end, headings }, score }) => ({
    text: text.slice(start, end),
    headings: headings.map((heading) => heading.text),
    start,
    end,
    line: lineAt(text, start),
    score: Math.round(score * 1_000) / 1_000,
  }))
}
