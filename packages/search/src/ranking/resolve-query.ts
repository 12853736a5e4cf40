import { NONE } from '../index/string-table.js'
import { type TermStatistics, termStatisticsOf } from '../index/term-statistics.js'
import type { WordIndex } from '../index/word-index.js'
import { otherSpellings } from '../text/abbreviations.js'
import { analyze } from '../text/analyzer.js'
import { stemOf } from '../text/porter2.js'
import type { ParsedQuery, QueryWord } from '../text/query.js'
import { createStopPhraseReader, titleTermOf } from '../text/stop-phrases.js'
import { idfOf } from './bm25.js'
import { completePrefix, compoundsEndingWith, correctSpelling, type SearchedTerms } from './fuzzy-terms.js'

// Less where the word as it was typed stands in some document: then it was probably meant.
const COMPLETION_WEIGHT = { known: 0.2, unknown: 0.6 } as const
const COMPOUND_WEIGHT = { known: 0.3, unknown: 0.8 } as const
const SPELLING_WEIGHT = { known: 0.8, unknown: 1 } as const
const CORRECTION_WEIGHT = [1, 0.7, 0.5] as const
// A word that is repeated weighs more, but a text that someone pasted over and over says no more than once.
const MAX_COUNT = 3
// A correction reads the whole vocabulary, milliseconds where that is a million words.
const MAX_CORRECTED_WORDS = 6
// Of a whole text: its first words, which are its title, and of the others the rarest. A common one costs the most to
// look up and says the least.
const TITLE_WORDS = 12
const MAX_TELLING_WORDS = 24

export interface WeightedTerm {
  term: number
  idf: number
}

/** A word of the query as the index knows it: the best of its terms counts, each as much as its `idf` says. */
export interface ResolvedWord {
  count: number
  idf: number
  terms: readonly WeightedTerm[]
}

export interface ResolvedQuery {
  words: readonly ResolvedWord[]
  /** Terms that every hit holds, for the phrases; undefined where one of them is unknown, and so nothing can match. */
  required: readonly number[] | undefined
  excluded: readonly number[]
  /** Stems that stand for one of the query's own: other spellings, compounds and corrections. */
  related: ReadonlyMap<string, string>
  searched: SearchedTerms
}

interface PhraseTerms {
  words: readonly number[]
  /** Of every three stop words in a row. */
  stopWords: readonly number[]
}

const termsOfPhrase = ({ vocabulary }: WordIndex, phrase: string): PhraseTerms => {
  const words: number[] = []
  const stopWords: number[] = []
  const stopPhrases = createStopPhraseReader((term) => stopWords.push(vocabulary.find(term)))
  analyze(
    phrase,
    (word, isVariant) => {
      // "time sharing" in quotes also finds "time-sharing", so that the joined form is not asked for.
      if (isVariant) return
      words.push(vocabulary.find(word))
      stopPhrases.interrupt()
    },
    stopPhrases.add,
  )
  return { words, stopWords }
}

/** A phrase of stop words alone stands for a word: that of its terms which the fewest documents hold. */
const wordOfPhrase = (statistics: TermStatistics, { words, stopWords }: PhraseTerms): ResolvedWord | undefined => {
  if (words.length > 0 || stopWords.length === 0 || stopWords.includes(NONE)) return undefined
  const [rarest] = stopWords
    .map((term) => ({ term, idf: idfOf(statistics.size, statistics.documentFrequency(term)) }))
    .toSorted((a, b) => b.idf - a.idf)
  return { count: 1, idf: rarest!.idf, terms: [rarest!] }
}

/** The terms of stop words in titles. */
const termsOfTitles = ({ vocabulary }: SearchedTerms, stopWords: readonly string[]): number[] =>
  stopWords.map((word) => vocabulary.find(titleTermOf(word)))

const wordOfTerm = (statistics: TermStatistics, term: number): ResolvedWord => {
  const idf = idfOf(statistics.size, statistics.documentFrequency(term))
  return { count: 1, idf, terms: [{ term, idf }] }
}

const tellingWords = ({ vocabulary, statistics }: SearchedTerms, words: readonly QueryWord[]): readonly QueryWord[] => {
  if (words.length <= MAX_TELLING_WORDS) return words
  const frequencyOf = ({ word }: QueryWord): number => {
    const term = vocabulary.find(word)
    return term === NONE ? 0 : statistics.documentFrequency(term)
  }
  const rarest = words
    .slice(TITLE_WORDS)
    .map((word) => ({ word, frequency: frequencyOf(word) }))
    .filter(({ frequency }) => frequency > 0)
    .toSorted((a, b) => a.frequency - b.frequency)
    .slice(0, MAX_TELLING_WORDS - TITLE_WORDS)
  return [...words.slice(0, TITLE_WORDS), ...rarest.map(({ word }) => word)]
}

export const resolveQuery = (
  index: WordIndex,
  query: ParsedQuery,
  statistics: TermStatistics = termStatisticsOf(index),
): ResolvedQuery => {
  const searched = { vocabulary: index.vocabulary, statistics }
  let corrected = 0
  const related = new Map<string, string>()
  const { words: vocabularyWords } = index.vocabulary

  const resolveWord = ({ word, isVariant, count }: QueryWord): ResolvedWord | undefined => {
    const term = index.vocabulary.find(word)
    const frequency = term === NONE ? 0 : statistics.documentFrequency(term)
    const idf = idfOf(statistics.size, frequency)
    // A spelling that nobody used here is no word the reader missed.
    if (isVariant && frequency === 0) return undefined

    const terms = new Map<number, number>()
    if (frequency > 0) terms.set(term, idf)
    const addOther = (other: number, weight: number) => {
      if (other === NONE || terms.has(other) || statistics.documentFrequency(other) === 0) return
      const own = idfOf(statistics.size, statistics.documentFrequency(other))
      terms.set(other, weight * (frequency > 0 ? Math.min(own, idf) : own))
    }
    const standing = frequency > 0 ? 'known' : 'unknown'
    const relate = (other: string) => related.set(stemOf(other), stemOf(word))
    for (const spelling of otherSpellings(word)) {
      addOther(index.vocabulary.find(spelling), SPELLING_WEIGHT[standing])
      relate(spelling)
    }
    if (word === query.prefix) {
      for (const longer of completePrefix(searched, word)) addOther(longer, COMPLETION_WEIGHT[standing])
    }
    // Among other words one that is known was meant as it stands, and compounds would only cost time.
    if (!isVariant && (frequency === 0 || query.words.length === 1)) {
      for (const [compound, written] of compoundsEndingWith(searched, word)) {
        addOther(compound, COMPOUND_WEIGHT[standing])
        relate(vocabularyWords.text(written))
      }
    }
    if (terms.size === 0 && corrected++ < MAX_CORRECTED_WORDS) {
      for (const { term: meant, word: written, distance } of correctSpelling(searched, word)) {
        relate(vocabularyWords.text(written))
        terms.set(meant, CORRECTION_WEIGHT[distance]! * idfOf(statistics.size, statistics.documentFrequency(meant)))
      }
    }
    return {
      count: Math.min(count, MAX_COUNT),
      idf,
      terms: [...terms].map(([known, weight]) => ({ term: known, idf: weight })),
    }
  }

  const phrases = query.phrases.map((phrase) => termsOfPhrase(index, phrase))
  const required = new Set(phrases.flatMap(({ words, stopWords }) => [...words, ...stopWords]))
  const asked = query.isWholeText ? tellingWords(searched, query.words) : query.words
  const words = [...asked.map(resolveWord), ...phrases.map((phrase) => wordOfPhrase(statistics, phrase))].filter(
    (word) => word !== undefined,
  )
  const excluded = query.excludedWords.map((word) => index.vocabulary.find(word)).filter((term) => term !== NONE)
  if (words.length === 0) {
    // A query without other words asks for the titles that hold all of them.
    for (const term of termsOfTitles(searched, query.stopWords)) {
      required.add(term)
      if (term === NONE) break
      words.push(wordOfTerm(statistics, term))
    }
  } else {
    const known = termsOfTitles(searched, query.names).filter(
      (term) => term !== NONE && statistics.documentFrequency(term) > 0,
    )
    words.push(...known.map((term) => wordOfTerm(statistics, term)))
  }
  return { words, required: required.has(NONE) ? undefined : [...required], excluded, related, searched }
}
