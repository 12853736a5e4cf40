import { crc32 } from 'node:zlib'
import type { Documents } from '../index/documents.js'
import { NONE } from '../index/string-table.js'
import { createSignatureIndex, type SignatureIndex } from '../semantic/signature-index.js'
import { createByteReader, createByteWriter } from './bytes.js'

/** The number that each ref has in a snapshot; deleted ones have none. */
export const numbersInSnapshot = (documents: Documents): ((ref: number) => number) => {
  const numbers = new Uint32Array(documents.refs.count).fill(NONE)
  let next = 0
  for (let document = 0; document < documents.count; document++) {
    const isHead = !documents.isDeleted(document) && documents.headOf(document) === document
    if (isHead) numbers[documents.refOf(document)] = next++
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
