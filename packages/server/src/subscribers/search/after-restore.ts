import type { Sql } from '../../db/port.js'
import { deleteSnapshots } from './snapshot-store.js'
import { resetPositions } from './vectors/position-store.js'
import { resetJobs } from './vectors/queue-store.js'

/**
 * Search builds its index from the records again: the log does not lead on from a snapshot. Vectors stay; all records
 * are put into the queue once more, where one whose vectors fit its text is taken out at the cost of a look.
 */
export const restartSearch = async (tx: Sql, tenantId: string): Promise<void> => {
  await deleteSnapshots(tx, tenantId)
  await resetPositions(tx, tenantId)
  await resetJobs(tx, tenantId)
}
