import { invalid } from '../base/errors.js'
import { beginningOf } from '../base/text.js'
import { commonWords, estimateTokens, safeShare } from '../base/tokens.js'

/** How many tokens of a model an answer may take. */
export const listBudget = 2_000
export const readBudget = 6_000

/** Ids, hashes, addresses and symbols: letters next to digits, and long runs of ASCII without a space. */
const withoutWords = /[!-~]{20}|[a-z]\d|\d[a-z]|[^\P{S}\p{ASCII}]/iu
const latin = /^[\p{ASCII}\p{Script=Latin}\p{P}]*$/u

/** How to estimate a title or a label: for common words close to the count, which `estimateTokens` exceeds. */
export const titleEstimator = (text: string): ((part: string) => number) => {
  if (withoutWords.test(text)) return (part) => estimateTokens(part) / safeShare
  return latin.test(text) ? (part) => estimateTokens(part, commonWords) : (part) => estimateTokens(part)
}

/** How many of the texts, from the first on, fit into a budget; at least one. */
export const countFitting = (texts: readonly string[], budget: number): number => {
  let left = budget * safeShare
  for (const [count, text] of texts.entries()) {
    left -= estimateTokens(text) + 1
    if (left < 0) return Math.max(1, count)
  }
  return texts.length
}

/** What is shown of the texts in a line, from all of them to their beginnings. */
const textLengths = [Infinity, 500, 240, 120, 60, 20]

/** A line for each record, with texts cut so that all of them fit into a budget. */
export const fittingLines = <T>(
  records: readonly T[],
  lineOf: (record: T, maxLength: number) => string,
  budget: number,
): string[] => {
  let lines: string[] = []
  for (const maxLength of textLengths) {
    lines = records.map((record) => lineOf(record, maxLength))
    if (countFitting(lines, budget) === lines.length) break
  }
  return lines
}

/** A line is divided where it is longer, so that each of them fits into an answer and can be asked for. */
const maxLineLength = 2_000
const maxLineTokens = 1_000

/** Upper bound for the number of tokens per UTF-16 code unit. */
const maxTokensPerUnit = 3

const beginningOfLine = (line: string): string => {
  let part = beginningOf(line, maxLineLength)
  while (part.length * maxTokensPerUnit > maxLineTokens && estimateTokens(part) > maxLineTokens) {
    part = beginningOf(part, Math.ceil(part.length / 2))
  }
  return part
}

const divided = (line: string): string[] => {
  const parts: string[] = []
  let rest = line
  do {
    const part = beginningOfLine(rest)
    parts.push(part)
    rest = rest.slice(part.length)
  } while (rest !== '')
  return parts
}

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.length * maxTokensPerUnit <= maxLineTokens ? line : divided(line)))

/** Some lines of a text: those that fit into an answer. */
interface TextPart {
  readonly text: string
  /** Which lines these are; undefined where they are all. */
  readonly lines?: string
  /** The line to go on with. */
  readonly next?: number
}

/** The part of a text from a line on that fits into a budget. */
export const partOf = (text: string, from: number, budget: number): TextPart => {
  const lines = linesOf(text)
  if (from > lines.length) throw invalid({ path: 'from_line', message: `is after the last line, ${lines.length}` })
  const rest = lines.slice(from - 1)
  const shown = rest.slice(0, countFitting(rest, budget))
  if (shown.length === lines.length) return { text }
  const last = from - 1 + shown.length
  return {
    text: shown.join('\n'),
    lines: `lines ${from}-${last} of ${lines.length}`,
    ...(last < lines.length && { next: last + 1 }),
  }
}
