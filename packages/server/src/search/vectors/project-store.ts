import type { Db } from '../../db/port.js'
import type { Shelf } from './subject.js'

const ROWS_PER_STEP = 500

/** Forgets the vectors of a deleted project, in steps that no writer waits long for. */
export const forgetProject = async (db: Db, { tenantId, model }: Shelf, projectId: string): Promise<void> => {
  for (const table of ['embedding_queue', 'embeddings']) {
    for (const kind of ['task', 'knowledge']) {
      const ofProject = 'tenant_id = ? and model = ? and kind = ? and project_id = ?'
      const params = [tenantId, model, kind, projectId]
      for (let removed = ROWS_PER_STEP; removed === ROWS_PER_STEP; ) {
        removed = await db.run(
          `delete from ${table} where ${ofProject} and subject in
             (select subject from ${table} where ${ofProject} order by subject limit ${ROWS_PER_STEP})`,
          [...params, ...params],
        )
      }
    }
  }
}
