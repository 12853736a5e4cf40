import { type CollectionIndex, createTenantIndex, type TenantIndex } from '../index/tenant-index.js'
import { createVectorCache } from '../semantic/vector-cache.js'
import type { TimeSliced } from '../time-slicing.js'
import { decodeIndex, encodeIndex } from './index-snapshot.js'
import { decodeSignatures, encodeSignatures } from './signature-snapshot.js'

export interface StoredSnapshot {
  sequence: number
  bytes: Uint8Array
}

interface Head {
  collections: string[]
  entryId: string | null
  model: string | undefined
  vectorChange: number
}

// Each block behind its length.
const join = (blocks: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(
    blocks.flatMap((block) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(block.length)
      return [length, block]
    }),
  )

function* split(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at, true)
    yield bytes.subarray(at + 4, end)
    at = end
  }
}

export function* encodeTenant(index: TenantIndex): TimeSliced<StoredSnapshot> {
  const { sequence, entryId, model, vectorChange } = index
  const head: Head = { collections: [...index.collections.keys()], entryId, model, vectorChange }
  const collections = [...index.collections.values()]
  // Before the first pause: signatures name documents by numbers that change with the words.
  const signatures = collections.map((collection) =>
    encodeSignatures(collection.signatures, collection.words.documents),
  )
  const blocks: Uint8Array[] = [Buffer.from(JSON.stringify(head))]
  for (const [at, { words }] of collections.entries()) blocks.push(yield* encodeIndex(words), signatures[at]!)
  return { sequence, bytes: join(blocks) }
}

/** Undefined where the snapshot is of another version or of other collections; throws where it is damaged. */
export function* decodeTenant(
  { bytes, sequence }: StoredSnapshot,
  names: readonly string[],
): TimeSliced<TenantIndex | undefined> {
  const [head, ...blocks] = split(bytes)
  const { collections: stored, entryId, model, vectorChange } = JSON.parse(Buffer.from(head!).toString()) as Head
  if (stored?.join() !== names.join()) return undefined
  const collections = new Map<string, CollectionIndex>()
  for (const [at, name] of names.entries()) {
    const words = yield* decodeIndex(blocks[at * 2]!)
    if (!words) return undefined
    const signatures = decodeSignatures(blocks[at * 2 + 1]!)
    collections.set(name, { words, signatures, vectors: createVectorCache() })
  }
  return { ...createTenantIndex([], sequence, entryId), collections, model, vectorChange }
}
