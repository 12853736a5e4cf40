import { slopeOf } from '../ranking/bm25.js'
import type { Documents } from './documents.js'
import { withRoom } from './growable.js'
import { type ImpactOrderedPostings, orderByImpact } from './impact-ordered-postings.js'
import type { Postings } from './postings.js'

export type FrequencyColumn = ReturnType<typeof createFrequencyColumn>

const COMMON_LEAST = 1_000
const COMMON_SHARE = 1 / 16
const MAX_UNORDERED = 1_000
const UNORDERED_SHARE = 1 / 64

/** Whether a term stands in so many documents that a byte for each of them all is well spent. */
export const isCommon = (frequency: number, documents: number): boolean =>
  frequency >= Math.max(COMMON_LEAST, documents * COMMON_SHARE)

/** How often a common term stands in each document, by the document's number; and its impact-ordered postings. */
export const createFrequencyColumn = (documents: Documents, postings: Postings, term: number) => {
  let frequencies = new Uint8Array(documents.count)
  let impactOrdered: ImpactOrderedPostings | undefined
  let documentFrequency = 0
  postings.visit(term, (cells, start, end) => {
    for (let at = start; at < end; at++) frequencies[cells[at]! >>> 8] = cells[at]! & 0xff
    documentFrequency += end - start
  })

  return {
    /** At least as long as there are documents. Deleted ones keep theirs: the impacts were computed with them. */
    get frequencies() {
      frequencies = withRoom(frequencies, documents.count)
      return frequencies
    },
    /** How many documents hold the term, without deleted ones. */
    get documentFrequency() {
      return documentFrequency
    },
    get impactOrdered(): ImpactOrderedPostings {
      const unordered = documents.count - (impactOrdered?.documentCount ?? 0)
      if (!impactOrdered || unordered > Math.max(MAX_UNORDERED, documents.count * UNORDERED_SHARE)) {
        impactOrdered = orderByImpact(
          this.frequencies,
          documents.lengths,
          documents.count,
          slopeOf(documents.liveCount, documents.totalLength),
        )
      }
      return impactOrdered
    },
    get memoryBytes() {
      return frequencies.byteLength + (impactOrdered?.documents.byteLength ?? 0)
    },

    add(document: number, frequency: number) {
      frequencies = withRoom(frequencies, document + 1)
      frequencies[document] = frequency
      documentFrequency++
    },

    remove(document: number) {
      if (frequencies[document] ?? 0) documentFrequency--
    },
  }
}
