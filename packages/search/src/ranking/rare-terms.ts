import type { WordIndex } from '../index/word-index.js'
import { K1, lengthPart } from './bm25.js'
import type { WeightedTerm } from './resolve-query.js'
import type { ScoreAccumulator } from './score-accumulator.js'
import type { SearchScratch } from './search-scratch.js'

interface TermScorer {
  maxScore: number
  weight: number
  slope: number
  lengths: Uint32Array
}

// The two loops that a search spends its time in: apart from their callers, so that the compiler sees them whole.
const addRun = (
  cells: Uint32Array,
  start: number,
  end: number,
  { maxScore, weight, slope, lengths }: TermScorer,
  { sums, touched, count }: ScoreAccumulator,
): number => {
  let next = count
  for (let at = start; at < end; at++) {
    const document = cells[at]! >>> 8
    const frequency = cells[at]! & 0xff
    const cell = document * 2
    if (sums[cell] === 0) touched[next++] = document
    sums[cell]! += (maxScore * frequency) / (frequency + lengthPart(slope, lengths[document]!))
    sums[cell + 1]! += weight
  }
  return next
}

const maximizeRun = (
  cells: Uint32Array,
  start: number,
  end: number,
  { maxScore, weight, slope, lengths }: TermScorer,
  maxima: Float32Array,
  matching: number[],
) => {
  for (let at = start; at < end; at++) {
    const document = cells[at]! >>> 8
    const frequency = cells[at]! & 0xff
    const cell = document * 2
    const value = (maxScore * frequency) / (frequency + lengthPart(slope, lengths[document]!))
    if (value <= maxima[cell]!) continue
    if (maxima[cell] === 0) matching.push(document)
    maxima[cell] = value
    maxima[cell + 1] = weight
  }
}

const scorerOf = ({ documents }: WordIndex, idf: number, count: number, slope: number): TermScorer => ({
  maxScore: idf * (K1 + 1) * count,
  weight: idf * count,
  slope,
  lengths: documents.lengths,
})

/** Fills in the scratch's maxima for the documents that hold any of the terms, and answers which these are. */
export const computeMaxima = (
  index: WordIndex,
  terms: readonly WeightedTerm[],
  count: number,
  slope: number,
  { maxima }: SearchScratch,
): number[] => {
  const matching: number[] = []
  for (const { term, idf } of terms) {
    const scorer = scorerOf(index, idf, count, slope)
    index.postings.visit(term, (cells, start, end) => maximizeRun(cells, start, end, scorer, maxima, matching))
  }
  return matching
}

export const clearMaxima = ({ maxima }: SearchScratch, matching: readonly number[]) => {
  for (const document of matching) {
    maxima[document * 2] = 0
    maxima[document * 2 + 1] = 0
  }
}

export const touchMatching = (index: WordIndex, terms: readonly WeightedTerm[], accumulator: ScoreAccumulator) => {
  for (const { term } of terms) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) accumulator.touch(cells[at]! >>> 8)
    })
  }
}

/** Adds a word, which the query holds `count` times, from the postings of its terms; the best of them counts. */
export const addRareWord = (
  index: WordIndex,
  terms: readonly WeightedTerm[],
  count: number,
  slope: number,
  scratch: SearchScratch,
) => {
  const { accumulator, maxima } = scratch
  if (terms.length === 1) {
    const { term, idf } = terms[0]!
    const scorer = scorerOf(index, idf, count, slope)
    index.postings.visit(term, (cells, start, end) => {
      accumulator.count = addRun(cells, start, end, scorer, accumulator)
    })
    return
  }
  const matching = computeMaxima(index, terms, count, slope, scratch)
  for (const document of matching) {
    const cell = document * 2
    accumulator.touch(document)
    accumulator.sums[cell]! += maxima[cell]!
    accumulator.sums[cell + 1]! += maxima[cell + 1]!
  }
  clearMaxima(scratch, matching)
}
