import { createSignatureIndex, type SignatureIndex } from '../semantic/signature-index.js'
import { createVectorCache, type VectorCache } from '../semantic/vector-cache.js'
import { createWordIndex, type WordIndex } from './word-index.js'

/** Documents of one kind, by their words and by their vectors. */
export interface CollectionIndex {
  words: WordIndex
  signatures: SignatureIndex
  /** Of the vectors that the signatures were made of. */
  vectors: VectorCache
}

/** One tenant's collections, as they were after the entry `sequence` of its log. */
export interface TenantIndex {
  collections: ReadonlyMap<string, CollectionIndex>
  sequence: number
  /** Of the entry `sequence`; null where there was none. Another one there is another log, out of a backup. */
  entryId: string | null
  /** The model of the signatures, and the last change to its vectors that is in them. */
  model: string | undefined
  vectorChange: number
  vectorsReadAt: number
  /** Whether so many texts wait for vectors that searches by meaning miss much. */
  lacksVectors: boolean
  /** Whether it is being built, or has many changes to catch up with. */
  isBehind: boolean
  /** Since the last snapshot. */
  changes: number
}

export const createTenantIndex = (
  names: Iterable<string>,
  sequence: number,
  entryId: string | null,
  maxPassages?: number,
): TenantIndex => ({
  collections: new Map(
    [...names].map((name) => [
      name,
      {
        words: createWordIndex(undefined, maxPassages),
        signatures: createSignatureIndex(),
        vectors: createVectorCache(),
      },
    ]),
  ),
  sequence,
  entryId,
  model: undefined,
  vectorChange: 0,
  vectorsReadAt: Number.NEGATIVE_INFINITY,
  lacksVectors: false,
  isBehind: false,
  changes: 0,
})

export const collectionOf = (index: TenantIndex, name: string): CollectionIndex => {
  const collection = index.collections.get(name)
  if (!collection) throw new Error(`There is no collection "${name}"`)
  return collection
}

export const sizeOf = ({ collections }: TenantIndex): number =>
  [...collections.values()].reduce((sum, { words }) => sum + words.size, 0)

export const isFull = ({ collections }: TenantIndex): boolean =>
  [...collections.values()].some(({ words }) => words.isFull)

export const memoryOf = ({ collections }: TenantIndex): number =>
  [...collections.values()].reduce(
    (sum, { words, signatures, vectors }) => sum + words.memoryBytes + signatures.memoryBytes + vectors.memoryBytes,
    0,
  )
