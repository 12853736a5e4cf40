import { withRoom } from '../index/growable.js'
import { createScoreAccumulator } from './score-accumulator.js'

export const BLOCK_SIZE = 512

/** Documents that are scored together. */
export type ScoreBlock = ReturnType<typeof createScoreBlock>

const createScoreBlock = () => ({
  documents: new Uint32Array(BLOCK_SIZE),
  lengthParts: new Float64Array(BLOCK_SIZE),
  /** What the word at hand gives each document, */
  values: new Float32Array(BLOCK_SIZE),
  weights: new Float32Array(BLOCK_SIZE),
  /** and all words so far. */
  valueSums: new Float32Array(BLOCK_SIZE),
  weightSums: new Float32Array(BLOCK_SIZE),
})

/** Working memory of one search at a time. */
export type SearchScratch = ReturnType<typeof createSearchScratch>

export const createSearchScratch = () => ({
  accumulator: createScoreAccumulator(),
  block: createScoreBlock(),
  /** The best that the terms of one word give, laid out as the accumulator's sums; all zero between two words. */
  maxima: new Float32Array(0),
  /** The required terms found in each document, in their order, or `EXCLUDED`; all zero between two searches. */
  requiredCounts: new Uint8Array(0),

  reserve(documentCount: number) {
    this.accumulator.reserve(documentCount)
    this.maxima = withRoom(this.maxima, documentCount * 2)
    this.requiredCounts = withRoom(this.requiredCounts, documentCount)
  },
})

export interface ScratchPool {
  /** Runs one search with scratch memory of its own. */
  use<T>(search: (scratch: SearchScratch) => T): T
}

// About 21 bytes a document: what a search of a larger index needs is given back after it.
const MAX_KEPT_DOCUMENTS = 2_000_000

/** Keeps the scratch memory of one search for the next: the searches of a thread run one after the other. */
export const createScratchPool = (): ScratchPool => {
  let idle: SearchScratch | undefined
  return {
    use: (search) => {
      const scratch = idle ?? createSearchScratch()
      idle = undefined
      let isClean = false
      try {
        const result = search(scratch)
        isClean = true
        return result
      } finally {
        if (isClean && scratch.requiredCounts.length <= MAX_KEPT_DOCUMENTS) idle = scratch
      }
    },
  }
}
