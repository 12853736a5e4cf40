import { withRoom } from './growable.js'

/**
 * What the words of a query add up to, document by document: `sums[2d]` is the BM25 of document d so far, `sums[2d + 1]`
 * the weight of the words it holds, side by side, for they are always touched together. Shared by all searches of a
 * thread, and all zero between two of them.
 */
export const tally = {
  sums: new Float32Array(0),
  touched: new Uint32Array(0),
  count: 0,

  open(documents: number) {
    this.sums = withRoom(this.sums, documents * 2)
    this.touched = withRoom(this.touched, documents)
  },

  isTouched(document: number): boolean {
    return this.sums[document * 2] !== 0
  },

  /** Puts a document among the touched, whatever the words say of it: with next to nothing. */
  touch(document: number) {
    if (this.isTouched(document)) return
    this.touched[this.count++] = document
    this.sums[document * 2] = Number.EPSILON
  },

  close(documents: number) {
    const { sums, touched, count } = this
    if (count * 4 > documents) sums.fill(0, 0, documents * 2)
    else {
      for (let at = 0; at < count; at++) {
        sums[touched[at]! * 2] = 0
        sums[touched[at]! * 2 + 1] = 0
      }
    }
    this.count = 0
  },
}
