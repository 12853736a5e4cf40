/** Words of 32 bits that hold one sign bit a dimension. */
export const signatureWords = (dimensions: number): number => Math.ceil(dimensions / 32)

/** Near vectors have near signs, at a thirty-second of the size. */
export function signatureOf(vector: Int8Array | Float32Array): Uint32Array {
  const bits = new Uint32Array(signatureWords(vector.length))
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) bits[i >> 5]! |= 1 << (i & 31)
  return bits
}

function bitCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/**
 * The rows of `packed` (signatures end to end, `rows` of them) nearest to `query`, nearest first. Distances are small
 * integers, so counting them finds the limit without a heap or a sort of everything.
 */
export function nearestSignatures(packed: Uint32Array, rows: number, query: Uint32Array, count: number): Uint32Array {
  const words = query.length
  const distances = new Uint16Array(rows)
  const histogram = new Uint32Array(words * 32 + 1)
  for (let row = 0, at = 0; row < rows; row++) {
    let distance = 0
    for (let word = 0; word < words; word++) distance += bitCount(packed[at++]! ^ query[word]!)
    distances[row] = distance
    histogram[distance]!++
  }

  const wanted = Math.min(count, rows)
  const places = new Uint32Array(histogram.length)
  let limit = 0
  for (let before = 0; limit < histogram.length && before < wanted; limit++) {
    places[limit] = before
    before += histogram[limit]!
  }

  const nearest = new Uint32Array(wanted)
  for (let row = 0; row < rows; row++) {
    const distance = distances[row]!
    if (distance < limit && places[distance]! < wanted) nearest[places[distance]!++] = row
  }
  return nearest
}
