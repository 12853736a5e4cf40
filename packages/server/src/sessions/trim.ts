import type { Db } from '../db/port.js'
import { listTenantIds } from '../tenants/service.js'
import { deleteEndedSessions, deleteExpiredLinks } from './store.js'

/** Removes the sessions that have ended and the expired links of all tenants. */
export const trimSessions = async (db: Db, nowMs: number): Promise<void> => {
  for (const tenantId of await listTenantIds(db)) {
    await deleteEndedSessions(db, tenantId, nowMs)
    await deleteExpiredLinks(db, tenantId, nowMs)
  }
}
