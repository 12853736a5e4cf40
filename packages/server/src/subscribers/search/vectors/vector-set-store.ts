import type { Db } from '../../../db/port.js'
import type { VectorSet } from './vector-set.js'

const ROWS_PER_DELETE = 500
const tables = ['embedding_queue', 'embeddings']

/** In steps that no writer waits long for. */
const deleteInSteps = async (deleteSome: () => Promise<number>): Promise<void> => {
  while ((await deleteSome()) === ROWS_PER_DELETE);
}

/** Deletes the vectors of a deleted project. */
export const deleteProjectVectors = async (
  db: Db,
  { tenantId, model }: VectorSet,
  projectId: string,
): Promise<void> => {
  for (const table of tables) {
    for (const kind of ['task', 'knowledge']) {
      const ofProject = 'tenant_id = ? and model = ? and kind = ? and project_id = ?'
      const params = [tenantId, model, kind, projectId]
      await deleteInSteps(async () =>
        db.run(
          `delete from ${table} where ${ofProject} and subject in
             (select subject from ${table} where ${ofProject} order by subject limit ${ROWS_PER_DELETE})`,
          [...params, ...params],
        ),
      )
    }
  }
}

export const deleteVectorSet = async (db: Db, { tenantId, model }: VectorSet): Promise<void> => {
  for (const table of tables) {
    await deleteInSteps(async () =>
      db.run(
        `delete from ${table} where tenant_id = ? and model = ? and (kind, project_id, subject) in
           (select kind, project_id, subject from ${table} where tenant_id = ? and model = ? limit ${ROWS_PER_DELETE})`,
        [tenantId, model, tenantId, model],
      ),
    )
  }
}
