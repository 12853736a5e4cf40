import { crc32 } from 'node:zlib'
import { createByteReader, createByteWriter } from './bytes.js'
import type { Documents } from './documents.js'
import { createSignatureIndex, type SignatureIndex } from './signature-index.js'
import { NONE } from './string-table.js'

/** The number that the name of each living document has in a snapshot, where the dead have none. */
export const numbersInSnapshot = (documents: Documents): ((ref: number) => number) => {
  const numbers = new Uint32Array(documents.refs.count).fill(NONE)
  let next = 0
  for (let document = 0; document < documents.count; document++) {
    if (!documents.isDead(document)) numbers[documents.refOf(document)] = next++
  }
  return (ref) => numbers[ref] ?? NONE
}

export const encodeSignatures = (signatures: SignatureIndex, documents: Documents): Uint8Array => {
  const { width, packed, owners } = signatures.stored(numbersInSnapshot(documents))
  const writer = createByteWriter()
  const bits = new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength)
  writer.number(width)
  writer.number(owners.length)
  writer.number(crc32(bits))
  for (const owner of owners) writer.number(owner)
  writer.block(bits)
  return writer.finish()
}

export const decodeSignatures = (bytes: Uint8Array): SignatureIndex => {
  const reader = createByteReader(bytes)
  const width = reader.number()
  const rows = reader.number()
  const checksum = reader.number()
  const owners = reader.numbers(rows)
  const bits = reader.block(rows * width * 4).slice()
  if (crc32(bits) !== checksum) throw new Error('The search snapshot is damaged')
  return createSignatureIndex({ width, owners, packed: new Uint32Array(bits.buffer) })
}
