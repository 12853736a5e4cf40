import type { CollectionIndex, TenantIndex } from '../index/tenant-index.js'
import type { WordIndex } from '../index/word-index.js'
import { createSignatureIndex } from '../semantic/signature-index.js'
import { createVectorCache } from '../semantic/vector-cache.js'
import type { TimeSliced } from '../time-slicing.js'
import { compactIndex } from './index-snapshot.js'
import { numbersInSnapshot } from './signature-snapshot.js'

const COMPACT_LEAST = 1_000

export const isWorthCompacting = ({ deletedCount, size }: WordIndex) => deletedCount > Math.max(COMPACT_LEAST, size / 3)

function* compactCollection(collection: CollectionIndex): TimeSliced<void> {
  const { words, signatures } = collection
  if (!isWorthCompacting(words)) return
  const compact = yield* compactIndex(words)
  // All anew: a search that is under way goes on with the old ones.
  collection.signatures = createSignatureIndex(signatures.stored(numbersInSnapshot(words.documents)))
  collection.vectors = createVectorCache()
  collection.words = compact
}

/** Frees the memory of changed and deleted documents, once it is much. */
export function* compactTenant({ collections }: TenantIndex): TimeSliced<void> {
  for (const collection of collections.values()) yield* compactCollection(collection)
}
