import type { Db } from '../../db/port.js'
import { keptForMs } from './service.js'
import { deleteExpiredRequests } from './store.js'

/** Deletes what is past its day. */
export const trimIdempotentRequests = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  for (const tenantId of tenantIds) await deleteExpiredRequests(db, tenantId, nowMs - keptForMs)
}
