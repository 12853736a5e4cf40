import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../db/port.js'
import { type Followed, follow } from './follow.js'
import { createSignatureIndex } from './signature-index.js'
import { NONE } from './string-table.js'
import type { TenantIndex } from './tenant-index.js'
import { lastChange } from './vectors/position-store.js'
import { refOf } from './vectors/subject.js'
import { type StoredVectors, vectorsAfter } from './vectors/vector-store.js'

// How old what is known of the vectors may be: a look at each search would be one more question to the store.
const LOOK_EVERY_MS = 1_000
const VECTORS_PER_STEP = 500
// A search waits no longer for vectors: it goes on with those that are there.
const MAX_STEPS_MS = 250

const forgetVectors = (index: TenantIndex) => {
  index.taskSignatures = createSignatureIndex()
  index.knowledgeSignatures = createSignatureIndex()
  index.vectorChange = 0
}

const apply = (index: TenantIndex, stored: StoredVectors) => {
  const [words, signatures] =
    stored.kind === 'task' ? [index.tasks, index.taskSignatures] : [index.knowledge, index.knowledgeSignatures]
  const ref = words.documents.refs.find(refOf(stored))
  // Its record is gone already.
  if (ref === NONE) return
  const { buffer, byteOffset, byteLength } = stored.vectors
  signatures.put(ref, new Int8Array(buffer, byteOffset, byteLength), stored.windows)
}

/** Takes in vectors made since the last look. `isAll` where none is left. */
export const followVectors = async (
  db: Sql,
  tenantId: string,
  index: TenantIndex,
  model: string,
): Promise<{ followed: Followed; isAll: boolean }> => {
  const startedAt = performance.now()
  if (index.model === model && startedAt - index.vectorsSeenAt < LOOK_EVERY_MS) {
    return { followed: 'current', isAll: true }
  }
  const newest = await lastChange(db, { tenantId, model })
  // A lower number than before is of a store that a backup has replaced.
  if (index.model !== model || newest < index.vectorChange) forgetVectors(index)
  index.model = model
  while (index.vectorChange < newest) {
    if (performance.now() - startedAt > MAX_STEPS_MS) return { followed: 'current', isAll: false }
    const rows = await vectorsAfter(db, { tenantId, model }, index.vectorChange, VECTORS_PER_STEP)
    // Only now, so that the record of each vector read is known to the index, unless it is gone.
    const followed = await follow(db, tenantId, index)
    if (followed !== 'current') return { followed, isAll: true }
    for (const row of rows) apply(index, row)
    index.changes += rows.length
    // The newest change may have been a vector's end, which leaves no row.
    index.vectorChange = rows.at(-1)?.change ?? newest
    await setImmediate()
  }
  index.vectorsSeenAt = performance.now()
  return { followed: 'current', isAll: true }
}
