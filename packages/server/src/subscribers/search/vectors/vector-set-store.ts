import type { Db } from '../../../db/port.js'
import type { VectorSet } from './vector-set.js'

const ROWS_PER_DELETE = 500
const tables = ['embedding_queue', 'embeddings']

/** In steps that no writer waits long for. */
const deleteInSteps = async (deleteSome: () => Promise<number>): Promise<void> => {
  while ((await deleteSome()) === ROWS_PER_DELETE);
}

export const deleteVectorSet = async (db: Db, { tenantId, model }: VectorSet): Promise<void> => {
  for (const table of tables) {
    await deleteInSteps(async () =>
      db.run(
        `delete from ${table} where tenant_id = ? and model = ? and (kind, subject) in
           (select kind, subject from ${table} where tenant_id = ? and model = ? limit ${ROWS_PER_DELETE})`,
        [tenantId, model, tenantId, model],
      ),
    )
  }
}
