import type { Documents } from './documents.js'
import { withRoom } from './growable.js'
import { findLeaders, type Leaders } from './leaders.js'
import type { Postings } from './postings.js'
import { slopeOf } from './score.js'

export type Column = ReturnType<typeof createColumn>

const COMMON_LEAST = 1_000
const COMMON_SHARE = 1 / 16
const MAX_NEWCOMERS = 1_000
const NEWCOMERS_SHARE = 1 / 64

/** Whether a term stands in so many documents that a byte for each of them all is well spent. */
export const isCommon = (frequency: number, documents: number): boolean =>
  frequency >= Math.max(COMMON_LEAST, documents * COMMON_SHARE)

/** How often a common term stands in each document: looked up by the document's number, and its leaders at hand. */
export const createColumn = (documents: Documents, postings: Postings, term: number) => {
  let frequencies = new Uint8Array(documents.count)
  let leaders: Leaders | undefined
  let holders = 0
  postings.visit(term, (cells, start, end) => {
    for (let at = start; at < end; at++) frequencies[cells[at]! >>> 8] = cells[at]! & 0xff
    holders += end - start
  })

  return {
    /** At least as long as there are documents. The dead keep theirs, as measure of the leaders after them. */
    get frequencies() {
      frequencies = withRoom(frequencies, documents.count)
      return frequencies
    },
    /** How many living documents hold the term. */
    get holders() {
      return holders
    },
    get leaders(): Leaders {
      const newcomers = documents.count - (leaders?.upTo ?? 0)
      if (!leaders || newcomers > Math.max(MAX_NEWCOMERS, documents.count * NEWCOMERS_SHARE)) {
        leaders = findLeaders(this.frequencies, documents.lengths, documents.count, slopeOf(documents))
      }
      return leaders
    },
    get memoryBytes() {
      return frequencies.byteLength + (leaders?.documents.byteLength ?? 0)
    },

    add(document: number, frequency: number) {
      frequencies = withRoom(frequencies, document + 1)
      frequencies[document] = frequency
      holders++
    },

    remove(document: number) {
      if (frequencies[document] ?? 0) holders--
    },
  }
}
