// Bits are counted three words at once.
const STEP = 3

/** Words of 32 bits that hold one sign bit a dimension: 12 for 384. */
export const signatureWords = (dimensions: number): number => Math.ceil(dimensions / 32 / STEP) * STEP

/** Near vectors have near signs, at a thirty-second of the size. */
export const signatureOf = (vector: Int8Array | Float32Array): Uint32Array => {
  const bits = new Uint32Array(signatureWords(vector.length))
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) bits[i >> 5]! |= 1 << (i & 31)
  return bits
}

/** The set bits of every four, 0 to 4, as the digits of a hexadecimal number. */
const countByDigit = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555)
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
}

/** Three words are added bit by bit into ones and twos, so that two counts do the work of three. */
export const distanceBetween = (packed: Uint32Array, start: number, query: Uint32Array): number => {
  let halves = 0
  for (let word = 0; word < query.length; word += STEP) {
    const a = packed[start + word]! ^ query[word]!
    const b = packed[start + word + 1]! ^ query[word + 1]!
    const c = packed[start + word + 2]! ^ query[word + 2]!
    const either = a ^ b
    const digits = (countByDigit(either ^ c) + 2 * countByDigit((a & b) | (either & c))) | 0
    const bytes = (digits & 0x0f0f0f0f) + ((digits >>> 4) & 0x0f0f0f0f)
    halves += (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff)
  }
  return (halves & 0xffff) + (halves >>> 16)
}
