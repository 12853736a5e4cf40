export const K1 = 1.2
export const B = 0.75

/** The weight of a document's length, relative to the mean length. */
export const slopeOf = (documents: number, totalLength: number): number =>
  (K1 * B * documents) / Math.max(1, totalLength)

/** A passage much longer than the mean is not about less: beyond so many times the mean its length does not count. */
const MAX_RELATIVE_LENGTH = 3
const MAX_LENGTH_PART = K1 * B * MAX_RELATIVE_LENGTH

export const lengthPart = (slope: number, length: number): number =>
  K1 * (1 - B) + Math.min(MAX_LENGTH_PART, slope * length)

export const idfOf = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
