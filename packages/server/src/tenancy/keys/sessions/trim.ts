import type { Db } from '../../../db/port.js'
import { deleteEndedSessions, deleteExpiredLinks } from './store.js'

/** Removes ended sessions and expired links. */
export const trimSessions = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  for (const tenantId of tenantIds) {
    await deleteEndedSessions(db, tenantId, nowMs)
    await deleteExpiredLinks(db, tenantId, nowMs)
  }
}
