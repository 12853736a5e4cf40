import type { Column } from './column.js'
import { LEADERS_STRIDE, type Leaders, leadersAmong } from './leaders.js'
import { best, clearBest, raiseBest } from './rare-words.js'
import type { WeightedTerm } from './resolve.js'
import { lengthPart, slopeOf } from './score.js'
import { tally } from './tally.js'
import type { WordIndex } from './word-index.js'

export type CommonTerm = {
  column: Column
  /** What a document could get from the term at most, */
  most: number
  /** and what it gets for holding it at all. */
  weight: number
}

/** A word of which a term at least is common; the best of its terms counts. */
export type CommonWord = { count: number; common: readonly CommonTerm[]; rare: readonly WeightedTerm[] }

export type Judge = {
  rankOf(bm25: number, weight: number): number
  /** Documents of a lower rank change nothing any more. */
  readonly least: number
  /** Whether the document is one that is sought; then it counts, and may be among the best. */
  take(document: number, rank: number): boolean
}

type Others = { index: WordIndex; words: readonly CommonWord[]; judge: Judge; slope: number }

const BLOCK = 512
// How far a walk looks ahead.
const STRIDES_AHEAD = 16
// What rounding may add to a sum of many words.
const ROUNDING = 1.00001

// The documents of one block, how their length counts, what the word at hand gives them, and all words so far.
const block = new Uint32Array(BLOCK)
const lengthParts = new Float64Array(BLOCK)
const values = new Float32Array(BLOCK)
const weights = new Float32Array(BLOCK)
const valueSums = new Float32Array(BLOCK)
const weightSums = new Float32Array(BLOCK)

// The loops, each apart from its callers, so that the compiler sees it whole.
const measureLengths = (length: number, lengths: Uint32Array, slope: number) => {
  for (let at = 0; at < length; at++) lengthParts[at] = lengthPart(slope, lengths[block[at]!]!)
}

const raiseValues = (length: number, { column, most, weight }: CommonTerm) => {
  const { frequencies } = column
  for (let at = 0; at < length; at++) {
    const frequency = frequencies[block[at]!]!
    if (frequency === 0) continue
    const value = Math.fround((most * frequency) / (frequency + lengthParts[at]!))
    if (value <= values[at]!) continue
    values[at] = value
    weights[at] = weight
  }
}

const addValues = (length: number, { column, most, weight }: CommonTerm) => {
  const { frequencies } = column
  for (let at = 0; at < length; at++) {
    const frequency = frequencies[block[at]!]!
    if (frequency === 0) continue
    valueSums[at]! += Math.fround((most * frequency) / (frequency + lengthParts[at]!))
    weightSums[at]! += weight
  }
}

const addRaised = (length: number) => {
  for (let at = 0; at < length; at++) {
    valueSums[at]! += values[at]!
    weightSums[at]! += weights[at]!
  }
}

/** Keeps those of the block that can still matter if all words to come give them so much; answers how many. */
const narrow = (length: number, judge: Judge, toCome: number): number => {
  const least = judge.least - toCome
  let kept = 0
  for (let at = 0; at < length; at++) {
    if (judge.rankOf(valueSums[at]!, weightSums[at]!) < least) continue
    block[kept] = block[at]!
    lengthParts[kept] = lengthParts[at]!
    valueSums[kept] = valueSums[at]!
    weightSums[kept++] = weightSums[at]!
  }
  return kept
}

/** Judges those of the block that are not touched yet, and touches those that are taken. */
const judgeSums = (length: number, judge: Judge) => {
  let { least } = judge
  for (let at = 0; at < length; at++) {
    const value = valueSums[at]!
    const weight = weightSums[at]!
    const rank = judge.rankOf(value, weight)
    if (value === 0 || rank < least) continue
    const document = block[at]!
    if (tally.isTouched(document) || !judge.take(document, rank)) continue
    tally.touch(document)
    tally.sums[document * 2] = value
    tally.sums[document * 2 + 1] = weight
    least = judge.least
  }
}

const raiseBlock = (length: number, word: CommonWord) => {
  values.fill(0, 0, length)
  weights.fill(0, 0, length)
  for (const term of word.common) raiseValues(length, term)
}

/** Adds the words to the documents that are touched already. */
export const addToTouched = (index: WordIndex, words: readonly CommonWord[]) => {
  const { sums, touched, count } = tally
  const { lengths } = index.documents
  const slope = slopeOf(index.documents)
  for (const word of words) {
    const holders = raiseBest(index, word.rare, word.count)
    for (let from = 0; from < count; from += BLOCK) {
      const length = Math.min(BLOCK, count - from)
      block.set(touched.subarray(from, from + length))
      measureLengths(length, lengths, slope)
      raiseBlock(length, word)
      for (let at = 0; at < length; at++) {
        const cell = block[at]! * 2
        const isRareBetter = holders.length > 0 && best[cell]! > values[at]!
        sums[cell]! += isRareBetter ? best[cell]! : values[at]!
        sums[cell + 1]! += isRareBetter ? best[cell + 1]! : weights[at]!
      }
    }
    clearBest(holders)
  }
}

/** `toCome`: what rank the words after each can add at most to a document that was not met before. */
const judgeBlock = ({ index, words, judge, slope }: Others, filled: number, toCome: readonly number[]) => {
  let length = filled
  valueSums.fill(0, 0, length)
  weightSums.fill(0, 0, length)
  measureLengths(length, index.documents.lengths, slope)
  for (const [order, word] of words.entries()) {
    if (word.common.length === 1) addValues(length, word.common[0]!)
    else {
      raiseBlock(length, word)
      addRaised(length)
    }
    length = narrow(length, judge, toCome[order]!)
  }
  judgeSums(length, judge)
}

const judgeRange = (others: Others, start: number, end: number, toCome: readonly number[]) => {
  for (let from = start; from < end; from += BLOCK) {
    const length = Math.min(BLOCK, end - from)
    for (let at = 0; at < length; at++) block[at] = from + at
    judgeBlock(others, length, toCome)
  }
}

/** A walk along the leaders of a term, a stride at a time. */
type Walk = { term: CommonTerm; leaders: Leaders; drift: number; next: number }

const startWalk = (term: CommonTerm, slope: number): Walk => {
  const { leaders } = term.column
  // Where lengths count less than when they were measured, a document may say so much more.
  return { term, leaders, drift: Math.max(1, leaders.slope / slope), next: 0 }
}

const mostAhead = ({ leaders, term, drift, next }: Walk): number => leaders.gains[next]! * drift * term.most

const isAtEnd = ({ leaders, next }: Walk): boolean => next === leaders.gains.length - 1

/** How much less the leaders ahead promise from stride to stride. */
const fallAhead = (walk: Walk): number => {
  const { leaders, term, drift, next } = walk
  if (isAtEnd(walk)) return -1
  const end = Math.min(next + STRIDES_AHEAD, leaders.gains.length - 1)
  return ((leaders.gains[next]! - leaders.gains[end]!) / (end - next)) * drift * term.most
}

const mostOf = <T>(all: readonly T[], amount: (one: T) => number): number => Math.max(...all.map(amount))

/** What rank all words can add at most to a document, and what the words after each, where each gives so much. */
const ranksToCome = ({ words, judge }: Others, givenBy: (order: number) => number) => {
  const after: number[] = []
  let all = 0
  for (let order = words.length - 1; order >= 0; order--) {
    after[order] = all
    all +=
      judge.rankOf(
        givenBy(order),
        mostOf(words[order]!.common, ({ weight }) => weight),
      ) * ROUNDING
  }
  return { all, after }
}

/**
 * Judges the leaders of the words until no other document can change the answer: whoever is not met yet has at most what
 * the next leaders have. So it goes on where that falls fastest. Where it takes too long, all others are judged.
 */
const judgeLeaders = (others: Others, walksOf: readonly Walk[][], upTo: number) => {
  const walks = walksOf.flat()
  const toCome = () => ranksToCome(others, (order) => mostOf(walksOf[order]!, mostAhead))
  for (let left = leadersAmong(upTo); left > 0; left -= LEADERS_STRIDE) {
    const { all, after } = toCome()
    if (all < others.judge.least) return
    const walk = walks.reduce((a, b) => (fallAhead(b) > fallAhead(a) ? b : a))
    if (isAtEnd(walk)) break
    const start = walk.next++ * LEADERS_STRIDE
    const leaders = walk.leaders.documents.subarray(start, start + LEADERS_STRIDE)
    block.set(leaders)
    judgeBlock(others, leaders.length, after)
  }
  judgeRange(others, 0, upTo, toCome().after)
}

/** Judges the documents that no rarer word has touched, or as many of them as can change the answer. */
export const judgeOthers = (index: WordIndex, words: readonly CommonWord[], judge: Judge) => {
  const slope = slopeOf(index.documents)
  const others = { index, words, judge, slope }
  const walks = words.map(({ common }) => common.map((term) => startWalk(term, slope)))
  const upTo = Math.min(...walks.flat().map(({ leaders }) => leaders.upTo))
  const ofNewcomers = ranksToCome(others, (order) => mostOf(words[order]!.common, ({ most }) => most))
  judgeRange(others, upTo, index.documents.count, ofNewcomers.after)
  judgeLeaders(others, walks, upTo)
}
