import { lengthPart } from '../ranking/bm25.js'

/** The documents to whose score a term adds most, highest impact first. */
export interface ImpactOrderedPostings {
  documents: Uint32Array
  /** The impact of the first document of each block, were the term's idf 1; last, an upper bound for all others. */
  impacts: Float32Array
  /** How the length counted when the impacts were computed. */
  slope: number
  /** Documents from this number on came later and are not included. */
  documentCount: number
}

export const IMPACT_BLOCK = 128

const LEAST = 1_000
const SHARE = 1 / 16
const BUCKETS = 4096
// A key sorts by 28 bits of the impact and then by the 24 of the document.
const IMPACT_STEPS = 2 ** 28
const DOCUMENT_STEPS = 2 ** 24

/** How many documents are ordered for a term, and how many of all of a query's words are worth scanning. */
export const impactOrderedCount = (documents: number): number => LEAST + Math.ceil(documents * SHARE)

// The lowest bucket such that it and those above it hold no more than `most`.
const lowestWithin = (histogram: Uint32Array, most: number): number => {
  let lowest = histogram.length
  for (let held = 0; lowest > 0; lowest--) {
    held += histogram[lowest - 1]!
    if (held > most) break
  }
  return lowest
}

export const orderByImpact = (
  frequencies: Uint8Array,
  lengths: Uint32Array,
  documentCount: number,
  slope: number,
): ImpactOrderedPostings => {
  const impactOf = (document: number) => {
    const frequency = frequencies[document]!
    return frequency / (frequency + lengthPart(slope, lengths[document]!))
  }
  const bucketOf = (impact: number) => Math.floor(impact * BUCKETS)
  const histogram = new Uint32Array(BUCKETS)
  for (let document = 0; document < documentCount; document++) {
    if (frequencies[document] !== 0) histogram[bucketOf(impactOf(document))]!++
  }
  const lowest = lowestWithin(histogram, impactOrderedCount(documentCount))
  const keys: number[] = []
  for (let document = 0; document < documentCount; document++) {
    const impact = impactOf(document)
    if (impact > 0 && bucketOf(impact) >= lowest) {
      keys.push(Math.floor(impact * IMPACT_STEPS) * DOCUMENT_STEPS + document)
    }
  }
  const documents = Uint32Array.from(Float64Array.from(keys).sort().reverse(), (key) => key % DOCUMENT_STEPS)
  const impacts = new Float32Array(Math.ceil(documents.length / IMPACT_BLOCK) + 1)
  for (let block = 0; block < impacts.length - 1; block++) impacts[block] = impactOf(documents[block * IMPACT_BLOCK]!)
  impacts[impacts.length - 1] = lowest / BUCKETS
  return { documents, impacts, slope, documentCount }
}
