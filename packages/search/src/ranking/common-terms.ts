import type { FrequencyColumn } from '../index/frequency-column.js'
import { IMPACT_BLOCK, type ImpactOrderedPostings, impactOrderedCount } from '../index/impact-ordered-postings.js'
import type { WordIndex } from '../index/word-index.js'
import { lengthPart } from './bm25.js'
import { clearMaxima, computeMaxima } from './rare-terms.js'
import type { WeightedTerm } from './resolve-query.js'
import type { ScoreAccumulator } from './score-accumulator.js'
import { BLOCK_SIZE, type ScoreBlock, type SearchScratch } from './search-scratch.js'

interface CommonTerm {
  column: FrequencyColumn
  /** What a document could get from the term at most, */
  maxScore: number
  /** and what it gets for holding it at all. */
  weight: number
}

/** A word with at least one common term; the best of its terms counts. */
export interface CommonWord {
  count: number
  common: readonly CommonTerm[]
  rare: readonly WeightedTerm[]
}

export interface Collector {
  scoreOf(bm25: number, weight: number): number
  /** A document of a lower score changes nothing any more. */
  readonly minCompetitiveScore: number
  /** Whether the document matches; then it is counted, and may be among the best. */
  collect(document: number, score: number): boolean
}

interface Scan {
  index: WordIndex
  words: readonly CommonWord[]
  collector: Collector
  slope: number
  scratch: SearchScratch
}

// How many blocks ahead of a cursor its descent is measured.
const BLOCKS_AHEAD = 16
// What rounding may add to a sum of many words.
const ROUNDING = 1.00001

// The loops, each apart from its callers, so that the compiler sees it whole.
const measureLengths = (
  { documents, lengthParts }: ScoreBlock,
  length: number,
  lengths: Uint32Array,
  slope: number,
) => {
  for (let at = 0; at < length; at++) lengthParts[at] = lengthPart(slope, lengths[documents[at]!]!)
}

const maximizeValues = (
  { documents, lengthParts, values, weights }: ScoreBlock,
  length: number,
  { column, maxScore, weight }: CommonTerm,
) => {
  const { frequencies } = column
  for (let at = 0; at < length; at++) {
    const frequency = frequencies[documents[at]!]!
    if (frequency === 0) continue
    const value = Math.fround((maxScore * frequency) / (frequency + lengthParts[at]!))
    if (value <= values[at]!) continue
    values[at] = value
    weights[at] = weight
  }
}

const addTermScores = (
  { documents, lengthParts, valueSums, weightSums }: ScoreBlock,
  length: number,
  { column, maxScore, weight }: CommonTerm,
) => {
  const { frequencies } = column
  for (let at = 0; at < length; at++) {
    const frequency = frequencies[documents[at]!]!
    if (frequency === 0) continue
    valueSums[at]! += Math.fround((maxScore * frequency) / (frequency + lengthParts[at]!))
    weightSums[at]! += weight
  }
}

const addMaximized = ({ values, weights, valueSums, weightSums }: ScoreBlock, length: number) => {
  for (let at = 0; at < length; at++) {
    valueSums[at]! += values[at]!
    weightSums[at]! += weights[at]!
  }
}

/** Keeps the documents that are still competitive if the remaining words give them all they can; answers how many. */
const pruneBlock = (
  { documents, lengthParts, valueSums, weightSums }: ScoreBlock,
  length: number,
  collector: Collector,
  remaining: number,
): number => {
  const least = collector.minCompetitiveScore - remaining
  let kept = 0
  for (let at = 0; at < length; at++) {
    if (collector.scoreOf(valueSums[at]!, weightSums[at]!) < least) continue
    documents[kept] = documents[at]!
    lengthParts[kept] = lengthParts[at]!
    valueSums[kept] = valueSums[at]!
    weightSums[kept++] = weightSums[at]!
  }
  return kept
}

/** Collects the documents of the block that are not touched yet, and touches those that match. */
const collectBlock = (
  { documents, valueSums, weightSums }: ScoreBlock,
  length: number,
  collector: Collector,
  accumulator: ScoreAccumulator,
) => {
  let least = collector.minCompetitiveScore
  for (let at = 0; at < length; at++) {
    const value = valueSums[at]!
    const weight = weightSums[at]!
    const score = collector.scoreOf(value, weight)
    if (value === 0 || score < least) continue
    const document = documents[at]!
    if (accumulator.isTouched(document) || !collector.collect(document, score)) continue
    accumulator.touch(document)
    accumulator.sums[document * 2] = value
    accumulator.sums[document * 2 + 1] = weight
    least = collector.minCompetitiveScore
  }
}

const maximizeBlock = (block: ScoreBlock, length: number, word: CommonWord) => {
  block.values.fill(0, 0, length)
  block.weights.fill(0, 0, length)
  for (const term of word.common) maximizeValues(block, length, term)
}

/** Adds the words to the documents that are touched already. */
export const addToTouched = (index: WordIndex, words: readonly CommonWord[], slope: number, scratch: SearchScratch) => {
  const { accumulator, block, maxima } = scratch
  const { sums, touched, count } = accumulator
  const { lengths } = index.documents
  for (const word of words) {
    const matching = computeMaxima(index, word.rare, word.count, slope, scratch)
    for (let from = 0; from < count; from += BLOCK_SIZE) {
      const length = Math.min(BLOCK_SIZE, count - from)
      block.documents.set(touched.subarray(from, from + length))
      measureLengths(block, length, lengths, slope)
      maximizeBlock(block, length, word)
      for (let at = 0; at < length; at++) {
        const cell = block.documents[at]! * 2
        const isRareBetter = matching.length > 0 && maxima[cell]! > block.values[at]!
        sums[cell]! += isRareBetter ? maxima[cell]! : block.values[at]!
        sums[cell + 1]! += isRareBetter ? maxima[cell + 1]! : block.weights[at]!
      }
    }
    clearMaxima(scratch, matching)
  }
}

/** `remaining`: the most that the words after each can add to the score of a document that was not met before. */
const scoreBlock = (
  { index, words, collector, slope, scratch: { block, accumulator } }: Scan,
  filled: number,
  remaining: readonly number[],
) => {
  let length = filled
  block.valueSums.fill(0, 0, length)
  block.weightSums.fill(0, 0, length)
  measureLengths(block, length, index.documents.lengths, slope)
  for (const [order, word] of words.entries()) {
    if (word.common.length === 1) addTermScores(block, length, word.common[0]!)
    else {
      maximizeBlock(block, length, word)
      addMaximized(block, length)
    }
    length = pruneBlock(block, length, collector, remaining[order]!)
  }
  collectBlock(block, length, collector, accumulator)
}

const scanRange = (scan: Scan, start: number, end: number, remaining: readonly number[]) => {
  const { documents } = scan.scratch.block
  for (let from = start; from < end; from += BLOCK_SIZE) {
    const length = Math.min(BLOCK_SIZE, end - from)
    for (let at = 0; at < length; at++) documents[at] = from + at
    scoreBlock(scan, length, remaining)
  }
}

/** A position in the impact-ordered postings of a term, block by block. */
interface ImpactCursor {
  term: CommonTerm
  ordered: ImpactOrderedPostings
  drift: number
  next: number
}

const openCursor = (term: CommonTerm, slope: number): ImpactCursor => {
  const { impactOrdered: ordered } = term.column
  // Where lengths count less than when the impacts were computed, a document may score so much more.
  return { term, ordered, drift: Math.max(1, ordered.slope / slope), next: 0 }
}

const upperBound = ({ ordered, term, drift, next }: ImpactCursor): number =>
  ordered.impacts[next]! * drift * term.maxScore

const isExhausted = ({ ordered, next }: ImpactCursor): boolean => next === ordered.impacts.length - 1

/** How much the upper bound falls from block to block. */
const descentOf = (cursor: ImpactCursor): number => {
  const { ordered, term, drift, next } = cursor
  if (isExhausted(cursor)) return -1
  const end = Math.min(next + BLOCKS_AHEAD, ordered.impacts.length - 1)
  return ((ordered.impacts[next]! - ordered.impacts[end]!) / (end - next)) * drift * term.maxScore
}

const maxOf = <T>(all: readonly T[], amount: (one: T) => number): number => Math.max(...all.map(amount))

/** The most that all words can add to a document's score, and the words after each, where each gives at most so much. */
const scoreBounds = ({ words, collector }: Scan, bm25Bound: (order: number) => number) => {
  const after: number[] = []
  let all = 0
  for (let order = words.length - 1; order >= 0; order--) {
    after[order] = all
    all +=
      collector.scoreOf(
        bm25Bound(order),
        maxOf(words[order]!.common, ({ weight }) => weight),
      ) * ROUNDING
  }
  return { all, after }
}

/**
 * The threshold algorithm: scans the impact-ordered postings until no other document can be among the best, for one
 * that was not met scores at most what the next blocks promise. It goes on where that bound falls fastest. Where it
 * takes too long, all documents are scanned.
 */
const scanByImpact = (scan: Scan, cursorsOf: readonly ImpactCursor[][], documentCount: number) => {
  const cursors = cursorsOf.flat()
  const bounds = () => scoreBounds(scan, (order) => maxOf(cursorsOf[order]!, upperBound))
  for (let left = impactOrderedCount(documentCount); left > 0; left -= IMPACT_BLOCK) {
    const { all, after } = bounds()
    if (all < scan.collector.minCompetitiveScore) return
    const cursor = cursors.reduce((a, b) => (descentOf(b) > descentOf(a) ? b : a))
    if (isExhausted(cursor)) break
    const start = cursor.next++ * IMPACT_BLOCK
    const documents = cursor.ordered.documents.subarray(start, start + IMPACT_BLOCK)
    scan.scratch.block.documents.set(documents)
    scoreBlock(scan, documents.length, after)
  }
  scanRange(scan, 0, documentCount, bounds().after)
}

/** Scores the documents that no rarer word has touched, or as many of them as can be among the best. */
export const scanUntouched = (
  index: WordIndex,
  words: readonly CommonWord[],
  collector: Collector,
  slope: number,
  scratch: SearchScratch,
) => {
  const scan: Scan = { index, words, collector, slope, scratch }
  const cursors = words.map(({ common }) => common.map((term) => openCursor(term, slope)))
  const orderedCount = Math.min(...cursors.flat().map(({ ordered }) => ordered.documentCount))
  const ofNewest = scoreBounds(scan, (order) => maxOf(words[order]!.common, ({ maxScore }) => maxScore))
  scanRange(scan, orderedCount, index.documents.count, ofNewest.after)
  scanByImpact(scan, cursors, orderedCount)
}
