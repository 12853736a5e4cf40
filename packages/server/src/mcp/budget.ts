import { invalid } from '../base/errors.js'
import { beginningOf } from '../base/text.js'
import { isTokenCharacter } from './token-characters.js'

/** How many tokens of a model an answer may take. */
export const listBudget = 2_000
export const readBudget = 6_000

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90

const kindOf = (code: number): 'word' | 'digits' | 'space' | 'sign' | 'other' => {
  if (isLower(code) || isUpper(code)) return 'word'
  if (isDigit(code)) return 'digits'
  if (code === 32 || code === 9 || code === 10 || code === 13) return 'space'
  return code < 128 ? 'sign' : 'other'
}

const isEmojiHalf = (code: number): boolean => code >= 0xd83c && code <= 0xd83e

/** Before it are the letters of European and Semitic alphabets, whose words are in a model's vocabulary as parts. */
const firstOfOtherScripts = 0x0700

/** What a character beyond ASCII takes at most: one token, or one for each of its bytes. In common words it is less. */
const tokensOfCharacter = (code: number): number => {
  if (isTokenCharacter(code)) return code < firstOfOtherScripts ? 0.5 : 1
  if (code < 0x800) return 2
  if (isEmojiHalf(code)) return 1
  return code >= 0xd800 && code < 0xe000 ? 2 : 3
}

/** Longer words are in no dictionary: identifiers, keys and hashes. */
const longestWord = 12

/** Of a word of up to so many letters, how many make a token; and what a space before it takes. */
interface Density {
  letters: number
  space: number
}

const anyWords: Density = { letters: 4, space: 0.25 }
const commonWords: Density = { letters: 7, space: 0 }

const tokensOfWord = (length: number, isUpperCase: boolean, { letters }: Density): number => {
  if (isUpperCase) return Math.ceil(length / 1.7)
  return length <= longestWord ? Math.ceil(length / letters) : longestWord / 4 + (length - longestWord) / 2
}

/**
 * Estimates how many tokens a model makes of a text, rather too many than too few: counting them exactly would take
 * a vocabulary of megabytes and more time than the read itself.
 */
export const estimateTokens = (text: string, density = anyWords): number => {
  let tokens = 0
  let at = 0
  while (at < text.length) {
    const first = text.charCodeAt(at)
    const kind = kindOf(first)
    let end = at + 1
    if (kind === 'word') {
      while (end < text.length) {
        const code = text.charCodeAt(end)
        if (!isLower(code) && !(isUpper(code) && isUpper(text.charCodeAt(end - 1)))) break
        end++
      }
      tokens += tokensOfWord(end - at, isUpper(first) && isUpper(text.charCodeAt(at + 1)), density)
    } else if (kind === 'digits') {
      while (end < text.length && isDigit(text.charCodeAt(end))) end++
      tokens += Math.ceil((end - at) / 3)
    } else if (kind === 'space') {
      while (end < text.length && kindOf(text.charCodeAt(end)) === 'space') end++
      // One space belongs to the word after it, but not to a number.
      const isOfWord = end - at === 1 && first === 32 && !isDigit(text.charCodeAt(end))
      tokens += isOfWord ? density.space : 1 + (end - at) / 16
    } else if (kind === 'sign') {
      while (end < text.length && text.charCodeAt(end) === first) end++
      tokens += Math.ceil((end - at) / 4)
    } else {
      tokens += tokensOfCharacter(first)
    }
    at = end
  }
  return Math.ceil(tokens)
}

/** An estimate may be a little too low for texts such as keys and hashes. */
export const safeShare = 0.88

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
  lineOf: (record: T, longest: number) => string,
  budget: number,
): string[] => {
  let lines: string[] = []
  for (const longest of textLengths) {
    lines = records.map((record) => lineOf(record, longest))
    if (countFitting(lines, budget) === lines.length) break
  }
  return lines
}

/** A line is divided where it is longer, so that each of them fits into an answer and can be asked for. */
const longestLine = 2_000
const mostTokensOfLine = 1_000

const beginningOfLine = (line: string): string => {
  let part = beginningOf(line, longestLine)
  // No character takes more than three.
  while (part.length * 3 > mostTokensOfLine && estimateTokens(part) > mostTokensOfLine) {
    part = beginningOf(part, Math.ceil(part.length / 2))
  }
  return part
}

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const parts: string[] = []
    let rest = line
    do {
      const part = beginningOfLine(rest)
      parts.push(part)
      rest = rest.slice(part.length)
    } while (rest !== '')
    return parts
  })

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
