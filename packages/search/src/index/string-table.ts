import { withRoom } from './growable.js'
import { compareNaturally } from './natural-order.js'

/** Strings numbered from 0 in the order in which they were added, kept as UTF-8 in one block outside the JavaScript heap. */
export type StringTable = ReturnType<typeof createStringTable>

export const NONE = 0xffffffff

const encoder = new TextEncoder()
// Nearly all strings are shorter; a longer one is encoded into memory of its own.
const ENCODE_BUFFER_BYTES = 192

const hashOf = (bytes: Uint8Array, start: number, end: number) => {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

export const createStringTable = (stored?: { bytes: Uint8Array; ends: Uint32Array }) => {
  let bytes = stored?.bytes ?? new Uint8Array(1024)
  // ends[id] is where string id - 1 ends, so that string id lies between ends[id] and ends[id + 1].
  let ends = stored?.ends ?? new Uint32Array(65)
  let count = stored ? stored.ends.length - 1 : 0
  let slots = new Uint32Array(128).fill(NONE)
  const encodeBuffer = new Uint8Array(ENCODE_BUFFER_BYTES)

  const encode = (text: string): Uint8Array => {
    if (text.length * 3 > encodeBuffer.length) return encoder.encode(text)
    let at = 0
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > 127) return encodeBuffer.subarray(0, encoder.encodeInto(text, encodeBuffer).written)
      encodeBuffer[at] = unit
    }
    return encodeBuffer.subarray(0, at)
  }

  const rehash = () => {
    let size = 128
    while (size < count * 2) size *= 2
    slots = new Uint32Array(size).fill(NONE)
    const mask = size - 1
    for (let id = 0; id < count; id++) {
      let slot = hashOf(bytes, ends[id]!, ends[id + 1]!) & mask
      while (slots[slot] !== NONE) slot = (slot + 1) & mask
      slots[slot] = id
    }
  }
  if (count > 0) rehash()

  const equals = (id: number, other: Uint8Array) => {
    const start = ends[id]!
    if (ends[id + 1]! - start !== other.length) return false
    for (let at = 0; at < other.length; at++) if (bytes[start + at] !== other[at]) return false
    return true
  }

  const slotOf = (key: Uint8Array) => {
    const mask = slots.length - 1
    let slot = hashOf(key, 0, key.length) & mask
    while (slots[slot] !== NONE && !equals(slots[slot]!, key)) slot = (slot + 1) & mask
    return slot
  }

  return {
    get count() {
      return count
    },
    /** String id lies between ends[id] and ends[id + 1]. */
    get ends(): Readonly<Uint32Array> {
      return ends
    },
    get bytes(): Readonly<Uint8Array> {
      return bytes
    },
    get memoryBytes() {
      return bytes.byteLength + ends.byteLength + slots.byteLength + encodeBuffer.byteLength
    },

    find: (text: string): number => slots[slotOf(encode(text))]!,

    intern(text: string): number {
      const key = encode(text)
      const slot = slotOf(key)
      if (slots[slot] !== NONE) return slots[slot]!
      const start = ends[count]!
      bytes = withRoom(bytes, start + key.length)
      bytes.set(key, start)
      ends = withRoom(ends, count + 2)
      ends[count + 1] = start + key.length
      slots[slot] = count++
      if (count * 2 > slots.length) rehash()
      return count - 1
    },

    text: (id: number): string =>
      Buffer.from(bytes.buffer, bytes.byteOffset).toString('utf8', ends[id]!, ends[id + 1]!),
    bytesOf: (id: number): Uint8Array => bytes.subarray(ends[id]!, ends[id + 1]!),
    lengthOf: (id: number): number => ends[id + 1]! - ends[id]!,

    startsWith(id: number, prefix: Uint8Array): boolean {
      const start = ends[id]!
      if (ends[id + 1]! - start < prefix.length) return false
      for (let at = 0; at < prefix.length; at++) if (bytes[start + at] !== prefix[at]) return false
      return true
    },

    endsWith(id: number, tail: Uint8Array): boolean {
      const start = ends[id + 1]! - tail.length
      if (start < ends[id]!) return false
      for (let at = 0; at < tail.length; at++) if (bytes[start + at] !== tail[at]) return false
      return true
    },

    /** Order by bytes, which for UTF-8 is the order of code points: the same wherever it runs. */
    compare(a: number, b: number): number {
      const startA = ends[a]!
      const startB = ends[b]!
      const lengthA = ends[a + 1]! - startA
      const lengthB = ends[b + 1]! - startB
      const shared = Math.min(lengthA, lengthB)
      for (let at = 0; at < shared; at++) {
        const difference = bytes[startA + at]! - bytes[startB + at]!
        if (difference !== 0) return difference
      }
      return lengthA - lengthB
    },

    /** As `compare`, but digits side by side are a number: a-3 comes before a-12. */
    compareNaturally(a: number, b: number): number {
      return compareNaturally(bytes, ends[a]!, ends[a + 1]!, ends[b]!, ends[b + 1]!) || this.compare(a, b)
    },
  }
}
