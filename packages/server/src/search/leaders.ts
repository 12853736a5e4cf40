import { lengthPart } from './score.js'

/** The documents that a term says most of, best first. */
export type Leaders = {
  documents: Uint32Array
  /** What the term says of the first of each stride, were its idf 1; last, the most it says of all others. */
  gains: Float32Array
  /** How the length counted when they were found. */
  slope: number
  /** Documents from this number on came later, and are not among them. */
  upTo: number
}

export const LEADERS_STRIDE = 128

const LEAST = 1_000
const SHARE = 1 / 16
const BUCKETS = 4096
// A key sorts by 28 bits of the gain and then by the 24 of the document.
const GAIN_STEPS = 2 ** 28
const DOCUMENT_STEPS = 2 ** 24

/** How many leaders a term has, and how many of all of a query's words are worth walking through. */
export const leadersAmong = (documents: number): number => LEAST + Math.ceil(documents * SHARE)

// The lowest bucket such that it and those above it hold no more than `most`.
const lowestWithin = (histogram: Uint32Array, most: number): number => {
  let lowest = histogram.length
  for (let held = 0; lowest > 0; lowest--) {
    held += histogram[lowest - 1]!
    if (held > most) break
  }
  return lowest
}

export const findLeaders = (frequencies: Uint8Array, lengths: Uint32Array, upTo: number, slope: number): Leaders => {
  const gainOf = (document: number) => {
    const frequency = frequencies[document]!
    return frequency / (frequency + lengthPart(slope, lengths[document]!))
  }
  const bucketOf = (gain: number) => Math.floor(gain * BUCKETS)
  const histogram = new Uint32Array(BUCKETS)
  for (let document = 0; document < upTo; document++) {
    if (frequencies[document] !== 0) histogram[bucketOf(gainOf(document))]!++
  }
  const lowest = lowestWithin(histogram, leadersAmong(upTo))
  const keys: number[] = []
  for (let document = 0; document < upTo; document++) {
    const gain = gainOf(document)
    if (gain > 0 && bucketOf(gain) >= lowest) keys.push(Math.floor(gain * GAIN_STEPS) * DOCUMENT_STEPS + document)
  }
  const documents = Uint32Array.from(Float64Array.from(keys).sort().reverse(), (key) => key % DOCUMENT_STEPS)
  const gains = new Float32Array(Math.ceil(documents.length / LEADERS_STRIDE) + 1)
  for (let stride = 0; stride < gains.length - 1; stride++) gains[stride] = gainOf(documents[stride * LEADERS_STRIDE]!)
  gains[gains.length - 1] = lowest / BUCKETS
  return { documents, gains, slope, upTo }
}
