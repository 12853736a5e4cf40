import { withRoom } from '../index/growable.js'
import { createStringTable, type StringTable } from '../index/string-table.js'

export type ByteWriter = ReturnType<typeof createByteWriter>
export type ByteReader = ReturnType<typeof createByteReader>

export const createByteWriter = () => {
  let bytes = new Uint8Array(64 * 1024)
  let at = 0

  const number = (value: number) => {
    if (at + 5 > bytes.length) bytes = withRoom(bytes, at + 5)
    let rest = value
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    bytes[at++] = rest
  }

  const block = (part: Uint8Array) => {
    bytes = withRoom(bytes, at + part.length)
    bytes.set(part, at)
    at += part.length
  }

  return {
    /** A whole number below 2³², small ones in few bytes. */
    number,
    block,
    floats(values: Float64Array) {
      block(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    },
    /** The chosen strings of a table, numbered anew in that order. */
    strings(table: StringTable, ids: Iterable<number>) {
      const chosen = [...ids]
      number(chosen.length)
      for (const id of chosen) number(table.lengthOf(id))
      for (const id of chosen) block(table.bytesOf(id))
    },
    finish: (): Uint8Array => bytes.subarray(0, at),
  }
}

export const createByteReader = (given: Uint8Array) => {
  // Drivers give Buffers, whose slice() is a view and not a copy.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  let at = 0

  const number = (): number => {
    let byte = bytes[at++]!
    if (byte < 128) return byte
    let value = byte & 127
    for (let shift = 7; ; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
      if (!(byte > 127)) return value >>> 0
    }
  }

  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('The search snapshot ends early')
    at += length
    return bytes.subarray(at - length, at)
  }

  return {
    number,
    numbers: (count: number): Uint32Array => {
      const values = new Uint32Array(count)
      for (let i = 0; i < count; i++) values[i] = number()
      return values
    },
    block: take,
    floats: (count: number): Float64Array => new Float64Array(take(count * 8).slice().buffer),
    strings(): StringTable {
      const count = number()
      const ends = new Uint32Array(count + 1)
      for (let id = 0; id < count; id++) ends[id + 1] = ends[id]! + number()
      return createStringTable({ bytes: take(ends[count]!).slice(), ends })
    },
  }
}
