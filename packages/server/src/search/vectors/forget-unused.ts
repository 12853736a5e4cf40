import type { Db } from '../../db/port.js'
import { deletePosition, noteUse, unusedShelves } from './position-store.js'
import type { Shelf } from './subject.js'

const UNUSED_MS = 24 * 3_600_000
const ROWS_PER_STEP = 500

const emptyShelf = async (db: Db, { tenantId, model }: Shelf): Promise<void> => {
  for (const table of ['embedding_queue', 'embeddings']) {
    for (let removed = ROWS_PER_STEP; removed === ROWS_PER_STEP; ) {
      removed = await db.run(
        `delete from ${table} where tenant_id = ? and model = ? and (kind, project_id, subject) in
           (select kind, project_id, subject from ${table} where tenant_id = ? and model = ? limit ${ROWS_PER_STEP})`,
        [tenantId, model, tenantId, model],
      )
    }
  }
}

/** Forgets the vectors of models that no node has used for a day. */
export const forgetUnusedModels = async (db: Db, model: string): Promise<void> => {
  await noteUse(db, model)
  for (const shelf of await unusedShelves(db, model, UNUSED_MS)) {
    await emptyShelf(db, shelf)
    await deletePosition(db, shelf)
  }
}
