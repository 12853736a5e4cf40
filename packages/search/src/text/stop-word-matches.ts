import type { Match } from './matches.js'
import { isStopPhrase, type ParsedQuery } from './query.js'

const WORDS = /[\p{L}\p{N}\p{M}]+/gu
const BETWEEN_WORDS = '[^\\p{L}\\p{N}\\p{M}]+'

/** Phrases without other words, which are searched for in texts. */
export const stopPhrasesOf = ({ phrases }: ParsedQuery): string[] => phrases.filter(isStopPhrase)

const patternOf = (phrase: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${phrase.match(WORDS)!.join(BETWEEN_WORDS)}(?![\\p{L}\\p{N}\\p{M}])`, 'giu')

const firstLineOf = (text: string): string => /^\s*[^\n]*/.exec(text)![0]

/** Finds the stop words that a query is searched for by: phrases of them anywhere, single ones in the first line. */
export const stopWordFinder = (query: ParsedQuery): ((text: string) => Match[]) => {
  const phrases = stopPhrasesOf(query)
  const ofTitles = query.words.length + query.phrases.length === 0 ? query.stopWords : query.names
  const wanted = (phrases.length > 0 ? phrases : ofTitles).map((term) => ({ term, pattern: patternOf(term) }))
  return (text) => {
    const searched = phrases.length > 0 ? text : firstLineOf(text)
    return wanted.flatMap(({ term, pattern }) =>
      Array.from(searched.matchAll(pattern), ({ 0: { length }, index }) => ({
        start: index,
        end: index + length,
        term,
      })),
    )
  }
}
