import { withRoom } from '../index/growable.js'

export type ScoreAccumulator = ReturnType<typeof createScoreAccumulator>

/**
 * The scores of one search, document by document: `sums[2d]` is the BM25 of document d so far, `sums[2d + 1]` the weight
 * of the words it holds, side by side because they are always used together. All zero between two searches.
 */
export const createScoreAccumulator = () => ({
  sums: new Float32Array(0),
  touched: new Uint32Array(0),
  count: 0,

  reserve(documentCount: number) {
    this.sums = withRoom(this.sums, documentCount * 2)
    this.touched = withRoom(this.touched, documentCount)
  },

  isTouched(document: number): boolean {
    return this.sums[document * 2] !== 0
  },

  /** Adds a document with next to no score, so that it is among the touched. */
  touch(document: number) {
    if (this.isTouched(document)) return
    this.touched[this.count++] = document
    this.sums[document * 2] = Number.EPSILON
  },

  clear(documentCount: number) {
    const { sums, touched, count } = this
    if (count * 4 > documentCount) sums.fill(0, 0, documentCount * 2)
    else {
      for (let at = 0; at < count; at++) {
        sums[touched[at]! * 2] = 0
        sums[touched[at]! * 2 + 1] = 0
      }
    }
    this.count = 0
  },
})
