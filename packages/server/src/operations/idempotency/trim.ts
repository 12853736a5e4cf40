import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/each-in-turn.js'
import { keptForMs } from './service.js'
import { deleteExpiredRequests } from './store.js'

/** Deletes what is past its day. */
export const trimIdempotentRequests = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn(tenantIds, (tenantId) => deleteExpiredRequests(db, tenantId, nowMs - keptForMs))
}
