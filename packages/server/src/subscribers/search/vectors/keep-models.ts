import type { Db } from '../../../db/port.js'
import { deletePosition, noteUse, unusedModels } from './position-store.js'
import type { VectorSet } from './vector-set.js'
import { deleteVectorSet } from './vector-set-store.js'

const hourMs = 3_600_000
const notedEveryMs = 6 * hourMs
const unusedMs = 24 * hourMs

/** Now and then notes that a model is in use, and deletes a tenant's vectors of models that no node has used for a day. */
export const keepModels = async (db: Db, set: VectorSet, unseenMs: number): Promise<void> => {
  if (unseenMs < notedEveryMs) return
  for (const model of await unusedModels(db, set, unusedMs)) {
    const unused = { ...set, model }
    await deleteVectorSet(db, unused)
    await deletePosition(db, unused)
  }
  await noteUse(db, set)
}
