import { analyze } from './analyzer.js'
import { characterClasses, DIGIT, isWordClass } from './characters.js'

const MAX_QUERY_LENGTH = 1000
const MAX_QUERY_WORDS = 64
// In a longer text quotes quote and dashes dash: someone pasted a sentence, and no record need hold its quotations.
const PROSE_WORDS = 9

export type QueryWord = { word: string; isVariant: boolean; count: number }

export interface ParsedQuery {
  /** As typed, trimmed: what an exact key or id is compared with. */
  text: string
  /** What of it is a wish: without quotes, and without what is excluded. */
  plain: string
  words: readonly QueryWord[]
  /** Looked for in titles, where there is no other word. */
  stopWords: readonly string[]
  /** Those of them that are names, as in "WHO guidelines": looked for in titles beside the other words. */
  names: readonly string[]
  /** The last word, where it may still be in the typing. */
  prefix: string | undefined
  phrases: readonly string[]
  excludedWords: readonly string[]
  excludedPhrases: readonly string[]
  /** Whether it is a whole text, of which the words that say most stand for all. */
  isWholeText?: boolean
}

// A quoted phrase, or a word or phrase excluded; a minus inside a word, alone or before a number is plain text.
const OPERATORS = /(?<=^|\s)-"([^"]*)"|"([^"]*)"|(?<=^|\s)-(?=[^\s"-])(?![.,]?\p{N})(\S+)/gu

// Stop words count: "off by one" is a phrase.
const hasWord = (phrase: string): boolean => /[\p{L}\p{N}]/u.test(phrase)

const wordsOf = (text: string): string[] => {
  const words: string[] = []
  analyze(text, (word) => words.push(word))
  return words
}

const CAPITALS = /(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu
const SMALL_LETTER = /\p{Ll}/u
const BOOLEAN_OPERATORS = new Set(['and', 'or', 'not'])

/** Stop words in capitals, unless everything is. */
const namesAmong = (stopWords: ReadonlySet<string>, text: string): string[] => {
  if (stopWords.size === 0 || !SMALL_LETTER.test(text)) return []
  const capitals = new Set((text.match(CAPITALS) ?? []).map((word) => word.toLowerCase()))
  return [...stopWords].filter((word) => capitals.has(word) && !BOOLEAN_OPERATORS.has(word))
}

const countWords = (text: string): Pick<ParsedQuery, 'words' | 'stopWords' | 'names'> => {
  const counted = new Map<string, QueryWord>()
  const stopWords = new Set<string>()
  analyze(
    text,
    (word, isVariant) => {
      const known = counted.get(word)
      if (known) known.count++
      else if (counted.size < MAX_QUERY_WORDS) counted.set(word, { word, isVariant, count: 1 })
    },
    (word) => stopWords.size < MAX_QUERY_WORDS && stopWords.add(word),
  )
  return { words: [...counted.values()], stopWords: [...stopWords], names: namesAmong(stopWords, text) }
}

const lastWord = (plain: string): string | undefined => {
  const kind = characterClasses[plain.charCodeAt(plain.length - 1)]!
  if (!isWordClass(kind) || kind === DIGIT) return undefined
  const parts: string[] = []
  analyze(plain.slice(plain.search(/\S+$/u)), (word, isVariant) => {
    if (!isVariant) parts.push(word)
  })
  return parts.at(-1)
}

/** A text that is searched for as it stands: quotes and dashes are plain text, and no word is in the typing. */
export const literalQuery = (text: string): ParsedQuery => ({
  ...plainQuery(text.slice(0, MAX_QUERY_LENGTH).trim()),
  prefix: undefined,
  isWholeText: true,
})

const plainQuery = (text: string): ParsedQuery => ({
  text,
  plain: text,
  ...countWords(text),
  prefix: lastWord(text),
  phrases: [],
  excludedWords: [],
  excludedPhrases: [],
})

/** Stop words that stand side by side are indexed from three on. */
const MIN_STOP_PHRASE = 3

/** Whether a text is stop words alone, and enough of them for a phrase. */
export const isStopPhrase = (text: string): boolean => {
  const { words, stopWords } = countWords(text)
  return words.length === 0 && stopWords.length >= MIN_STOP_PHRASE
}

export const parseQuery = (typed: string): ParsedQuery => {
  const text = typed.slice(0, MAX_QUERY_LENGTH).trim()
  const phrases: string[] = []
  const excludedWords: string[] = []
  const excludedPhrases: string[] = []
  const straight = text.replace(/[\u201c\u201d]/g, '"')
  const plain = straight.replace(OPERATORS, (_, excludedPhrase?: string, phrase?: string, excludedWord?: string) => {
    if (excludedPhrase !== undefined) excludedPhrases.push(excludedPhrase)
    else if (excludedWord !== undefined) excludedWords.push(...wordsOf(excludedWord).slice(-1))
    else if (phrase !== undefined) phrases.push(phrase)
    return phrase === undefined ? ' ' : ` ${phrase} `
  })
  const outside = straight.replace(OPERATORS, ' ').trim().split(/\s+/u)
  if (outside.length > PROSE_WORDS) return { ...plainQuery(straight), text }
  return {
    text,
    plain: plain.trim(),
    ...countWords(plain),
    prefix: straight.endsWith('"') || excludedWords.length > 0 ? undefined : lastWord(plain),
    phrases: phrases.filter(hasWord),
    excludedWords,
    excludedPhrases: excludedPhrases.filter(hasWord),
  }
}
