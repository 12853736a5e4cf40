import type { Accepts } from '../index/filter.js'
import { compareNames, type WordIndex } from '../index/word-index.js'
import { K1, slopeOf } from './bm25.js'
import { addToTouched, type Collector, type CommonWord, scanUntouched } from './common-terms.js'
import { addRareWord, touchMatching } from './rare-terms.js'
import type { ResolvedQuery, ResolvedWord } from './resolve-query.js'
import { EVIDENCE_WEIGHTS, strengthScale, type WordParts } from './score.js'
import type { ScoreAccumulator } from './score-accumulator.js'
import type { SearchScratch } from './search-scratch.js'
import { createTopK } from './top-k.js'

/** Of a long document the best passage counts; it is named by its head. */
export interface RankedDocument extends WordParts {
  document: number
}

export interface RankOptions {
  top: number
  /** How far the documents that match are to be counted. */
  countTo: number
  accepts?: Accepts | undefined
  /** Whether documents that replace each other count as one, of which the best is named. */
  areChainsJoined?: boolean
  /** Documents whose parts are wanted whatever their rank, such as semantic candidates. */
  also?: readonly number[]
}

const EXCLUDED = 0xff
/** Required terms counted per document. Phrases are verified in texts, so candidates may lack later terms. */
const MAX_REQUIRED_TERMS = EXCLUDED - 1

// What is required and excluded may stand in different passages of a document: it is noted at their head.
const exclude = (index: WordIndex, terms: readonly number[], requiredCounts: Uint8Array) => {
  const { headOf } = index.documents
  for (const term of terms) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) requiredCounts[headOf(cells[at]! >>> 8)] = EXCLUDED
    })
  }
}

// The terms are counted in their order: a document that misses one is never counted again.
const countRequired = (index: WordIndex, terms: readonly number[], requiredCounts: Uint8Array) => {
  const { headOf } = index.documents
  for (const [order, term] of terms.entries()) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) {
        const head = headOf(cells[at]! >>> 8)
        if (requiredCounts[head] === order) requiredCounts[head] = order + 1
      }
    })
  }
}

const clearRequired = (index: WordIndex, { required = [], excluded }: ResolvedQuery, requiredCounts: Uint8Array) => {
  const { headOf } = index.documents
  for (const term of [...required.slice(0, 1), ...excluded]) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) requiredCounts[headOf(cells[at]! >>> 8)] = 0
    })
  }
}

/** Words of rare terms alone, and words that have a common one. */
const splitByFrequency = (index: WordIndex, words: readonly ResolvedWord[]) => {
  const rare: ResolvedWord[] = []
  const common: CommonWord[] = []
  for (const word of words.toSorted((a, b) => b.idf - a.idf)) {
    const terms = word.terms.map((term) => ({ ...term, column: index.columnOf(term.term) }))
    if (terms.every(({ column }) => column === undefined)) rare.push(word)
    else {
      common.push({
        count: word.count,
        rare: terms.filter(({ column }) => column === undefined),
        common: terms.flatMap(({ idf, column }) =>
          column ? [{ column, maxScore: idf * (K1 + 1) * word.count, weight: idf * word.count }] : [],
        ),
      })
    }
  }
  return { rare, common }
}

const createCollector = (
  index: WordIndex,
  { top: wanted, countTo, areChainsJoined = false }: RankOptions,
  perBm25: number,
  perWeight: number,
  isMatch: (document: number) => boolean,
) => {
  const { headOf, endOf, isChained, isPassage, hasPassages, count } = index.documents
  const size = Math.min(wanted, count)
  const groupOf = areChainsJoined ? endOf : headOf
  const isGrouped = (document: number) =>
    (hasPassages && isPassage(document)) || (areChainsJoined && isChained(document))
  const isReplaced = (document: number) => endOf(document) !== headOf(document)
  const hasEarlierName = (a: number, b: number) => compareNames(index, a, b) < 0
  // Of equal ones those that were replaced come last.
  const isEarlier = (a: number, b: number) => (isReplaced(a) === isReplaced(b) ? hasEarlierName(a, b) : isReplaced(b))
  const top = createTopK(size, areChainsJoined ? isEarlier : hasEarlierName)
  // Groups of passages and of chains that are counted already.
  const counted = new Set<number>()
  let matches = 0

  const collectGrouped = (document: number, score: number) => {
    const group = groupOf(document)
    if (matches < countTo && !counted.has(group)) {
      counted.add(group)
      matches++
    }
    if (score >= top.floor()) top.offerOneOf(document, score, (other) => groupOf(other) === group)
  }

  const collector: Collector = {
    scoreOf: (bm25, weight) => perBm25 * bm25 + perWeight * weight,
    get minCompetitiveScore() {
      return matches < countTo ? Number.NEGATIVE_INFINITY : top.floor()
    },
    collect(document, score) {
      if (!isMatch(document)) return false
      if (isGrouped(document)) collectGrouped(document, score)
      else {
        matches++
        if (score >= top.floor()) top.offer(document, score)
      }
      return true
    },
  }

  /** Comparing only the scores first leaves few documents to compare by name. */
  const raiseFloor = (accumulator: ScoreAccumulator) => {
    const { sums, touched, count } = accumulator
    const byScore = createTopK(size, () => false)
    for (let at = 0; at < count; at++) {
      const document = touched[at]!
      const score = collector.scoreOf(sums[document * 2]!, sums[document * 2 + 1]!)
      if (score <= byScore.floor() || isGrouped(document) || !isMatch(document)) continue
      byScore.offer(document, score)
    }
    top.raiseFloor(byScore.floor())
  }

  return { collector, raiseFloor, bestFirst: top.bestFirst, matches: () => Math.min(matches, countTo) }
}

interface Ranking {
  ranked: RankedDocument[]
  matches: number
}

const rank = (
  index: WordIndex,
  query: ResolvedQuery,
  required: readonly number[],
  options: RankOptions,
  scratch: SearchScratch,
): Ranking => {
  const { documents } = index
  const { accumulator, requiredCounts } = scratch
  const { accepts, also = [] } = options
  const { statistics } = query.searched
  const maxCoverage = query.words.reduce((sum, word) => sum + word.count * word.idf, 0) || 1
  const maxBm25 = maxCoverage * (K1 + 1)
  exclude(index, query.excluded, requiredCounts)
  countRequired(index, required, requiredCounts)
  const isConstrained = required.length + query.excluded.length > 0
  const isAllowed = (document: number) =>
    !isConstrained || requiredCounts[documents.headOf(document)] === required.length
  const isMatch = (document: number) =>
    isAllowed(document) && !documents.isDeleted(document) && (accepts === undefined || accepts(document))
  const scale = strengthScale(maxBm25, statistics.size)
  const perBm25 = EVIDENCE_WEIGHTS.strength / scale
  const perWeight = EVIDENCE_WEIGHTS.coverage / maxCoverage
  const { collector, raiseFloor, bestFirst, matches } = createCollector(index, options, perBm25, perWeight, isMatch)

  const others = also.map(documents.passagesOf)
  for (const passages of others) for (const document of passages) accumulator.touch(document)
  const slope = slopeOf(statistics.size, statistics.totalLength)
  const { rare, common } = splitByFrequency(index, query.words)
  for (const { terms, count } of rare) addRareWord(index, terms, count, slope, scratch)
  for (const word of common) touchMatching(index, word.rare, accumulator)
  addToTouched(index, common, slope, scratch)
  raiseFloor(accumulator)
  const { sums, touched, count } = accumulator
  for (let at = 0, least = collector.minCompetitiveScore; at < count; at++) {
    const document = touched[at]!
    const score = collector.scoreOf(sums[document * 2]!, sums[document * 2 + 1]!)
    if (score >= least && collector.collect(document, score)) least = collector.minCompetitiveScore
  }
  if (common.length > 0) scanUntouched(index, common, collector, slope, scratch)

  const best = bestFirst()
  const heads = new Set(best.map(documents.headOf))
  const scoreOf = (document: number) => collector.scoreOf(sums[document * 2]!, sums[document * 2 + 1]!)
  for (const passages of others) {
    if (heads.has(passages[0]!) || !isAllowed(passages[0]!)) continue
    best.push(passages.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a)))
  }
  const ranked = best.map((document) => {
    const coverage = Math.min(1, sums[document * 2 + 1]! / maxCoverage)
    const bm25 = coverage > 0 ? sums[document * 2]! : 0
    const strength = bm25 / scale
    return { document: documents.headOf(document), bm25, strength, lexical: bm25 / maxBm25, coverage }
  })
  return { ranked, matches: matches() }
}

/** The best documents by their words, ties by ref, with the parts of the score of each; and how many there are. */
export const rankByWords = (
  index: WordIndex,
  query: ResolvedQuery,
  options: RankOptions,
  scratch: SearchScratch,
): Ranking => {
  if (query.required === undefined) return { ranked: [], matches: 0 }
  const required = query.required.slice(0, MAX_REQUIRED_TERMS)
  const { count } = index.documents
  scratch.reserve(count)
  try {
    return rank(index, query, required, options, scratch)
  } finally {
    scratch.accumulator.clear(count)
    clearRequired(index, query, scratch.requiredCounts)
  }
}
