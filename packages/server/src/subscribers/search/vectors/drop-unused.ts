import type { Db } from '../../../db/port.js'
import { deletePosition, noteUse, unusedVectorSets } from './position-store.js'
import { deleteVectorSet } from './vector-set-store.js'

const UNUSED_MS = 24 * 3_600_000

/** Deletes the vectors of models that no node has used for a day. */
export const dropUnusedModels = async (db: Db, model: string): Promise<void> => {
  await noteUse(db, model)
  for (const set of await unusedVectorSets(db, model, UNUSED_MS)) {
    await deleteVectorSet(db, set)
    await deletePosition(db, set)
  }
}
