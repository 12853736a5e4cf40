import { withRoom } from './growable.js'
import type { WeightedTerm } from './resolve.js'
import { K1, lengthPart, slopeOf } from './score.js'
import { tally } from './tally.js'
import type { WordIndex } from './word-index.js'

/** The best that the terms of one word give, laid out as the tally's sums; all zero between two words. */
export let best = new Float32Array(0)

type Gain = { most: number; weight: number; slope: number; lengths: Uint32Array }

// The two loops that a search spends its time in: apart from their callers, so that the compiler sees them whole.
const addRun = (cells: Uint32Array, start: number, end: number, gain: Gain, count: number): number => {
  const { most, weight, slope, lengths } = gain
  const { sums, touched } = tally
  let next = count
  for (let at = start; at < end; at++) {
    const document = cells[at]! >>> 8
    const frequency = cells[at]! & 0xff
    const cell = document * 2
    if (sums[cell] === 0) touched[next++] = document
    sums[cell]! += (most * frequency) / (frequency + lengthPart(slope, lengths[document]!))
    sums[cell + 1]! += weight
  }
  return next
}

const raiseRun = (cells: Uint32Array, start: number, end: number, gain: Gain, holders: number[]) => {
  const { most, weight, slope, lengths } = gain
  const into = best
  for (let at = start; at < end; at++) {
    const document = cells[at]! >>> 8
    const frequency = cells[at]! & 0xff
    const cell = document * 2
    const value = (most * frequency) / (frequency + lengthPart(slope, lengths[document]!))
    if (value <= into[cell]!) continue
    if (into[cell] === 0) holders.push(document)
    into[cell] = value
    into[cell + 1] = weight
  }
}

const gainOf = ({ documents }: WordIndex, idf: number, count: number): Gain => ({
  most: idf * (K1 + 1) * count,
  weight: idf * count,
  slope: slopeOf(documents),
  lengths: documents.lengths,
})

/** Fills in `best` for the documents that hold any of the terms, and answers which these are. */
export const raiseBest = (index: WordIndex, terms: readonly WeightedTerm[], count: number): number[] => {
  best = withRoom(best, index.documents.count * 2)
  const holders: number[] = []
  for (const { term, idf } of terms) {
    const gain = gainOf(index, idf, count)
    index.postings.visit(term, (cells, start, end) => raiseRun(cells, start, end, gain, holders))
  }
  return holders
}

export const clearBest = (holders: readonly number[]) => {
  for (const document of holders) {
    best[document * 2] = 0
    best[document * 2 + 1] = 0
  }
}

export const touchHolders = (index: WordIndex, terms: readonly WeightedTerm[]) => {
  for (const { term } of terms) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) tally.touch(cells[at]! >>> 8)
    })
  }
}

/** Adds a word, said so many times in the query, by the lists of its terms; the best of them counts. */
export const addRareWord = (index: WordIndex, terms: readonly WeightedTerm[], count: number) => {
  if (terms.length === 1) {
    const { term, idf } = terms[0]!
    const gain = gainOf(index, idf, count)
    index.postings.visit(term, (cells, start, end) => {
      tally.count = addRun(cells, start, end, gain, tally.count)
    })
    return
  }
  const holders = raiseBest(index, terms, count)
  for (const document of holders) {
    const cell = document * 2
    tally.touch(document)
    tally.sums[cell]! += best[cell]!
    tally.sums[cell + 1]! += best[cell + 1]!
  }
  clearBest(holders)
}
