import { setImmediate } from 'node:timers/promises'
import { NONE } from '../index/string-table.js'
import { collectionOf, type TenantIndex } from '../index/tenant-index.js'
import { createSignatureIndex } from '../semantic/signature-index.js'
import { createVectorCache } from '../semantic/vector-cache.js'
import type { ChangedVectors, SearchPorts, VectorStore } from './ports.js'
import { syncLog } from './sync-log.js'

// How old what is known of the vectors may be: to ask at each search would be one more query to the store.
const READ_EVERY_MS = 1_000
const VECTORS_PER_READ = 500
/** From so many texts without vectors on, searches say that they miss some; a few are there within seconds. */
const MANY_WAITING = 100
// A search waits no longer for vectors: it goes on with those that are there.
const MAX_SYNC_MS = 250

const dropVectors = (index: TenantIndex) => {
  for (const collection of index.collections.values()) {
    collection.signatures = createSignatureIndex()
    collection.vectors = createVectorCache()
  }
  index.vectorChange = 0
}

const apply = (index: TenantIndex, { collection, ref, vectors: changed, windows }: ChangedVectors) => {
  const { words, signatures, vectors } = collectionOf(index, collection)
  const refNumber = words.documents.refs.find(ref)
  // Its document is gone already.
  if (refNumber === NONE) return
  vectors.forget(refNumber)
  const { buffer, byteOffset, byteLength } = changed
  signatures.put(refNumber, new Int8Array(buffer, byteOffset, byteLength), windows)
}

/** Whether it is time to look for new vectors. */
export const areVectorsDue = ({ model }: VectorStore, index: TenantIndex): boolean =>
  index.model !== model || performance.now() - index.vectorsReadAt >= READ_EVERY_MS

/** Adds the vectors made since the last call. False where it ran out of time and some are left. */
export const syncVectors = async (
  ports: SearchPorts,
  vectors: VectorStore,
  tenantId: string,
  index: TenantIndex,
): Promise<boolean> => {
  if (!areVectorsDue(vectors, index)) return true
  const { model } = vectors
  const startedAt = performance.now()
  const newest = await vectors.lastChange(tenantId)
  index.lacksVectors = (await vectors.countWaiting(tenantId, MANY_WAITING)) >= MANY_WAITING
  // A lower number than before is of a store that a backup has replaced.
  if (index.model !== model || newest < index.vectorChange) dropVectors(index)
  index.model = model
  while (index.vectorChange < newest) {
    if (performance.now() - startedAt > MAX_SYNC_MS) return false
    const rows = await vectors.readAfter(tenantId, index.vectorChange, VECTORS_PER_READ)
    // Only now, so that the document of each vector read is known to the index, unless it is gone.
    if ((await syncLog(ports, tenantId, index)) !== 'current') return true
    for (const row of rows) apply(index, row)
    index.changes += rows.length
    // The newest change may have been the removal of a vector, which leaves no row.
    index.vectorChange = rows.at(-1)?.change ?? newest
    await setImmediate()
  }
  index.vectorsReadAt = performance.now()
  return true
}
