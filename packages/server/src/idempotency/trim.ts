import type { Db } from '../db/port.js'
import { listTenantIds } from '../tenants/service.js'
import { keptForMs } from './service.js'
import { deleteExpiredRequests } from './store.js'

/** Deletes what is past its day, for all tenants. */
export const trimIdempotentRequests = async (db: Db, nowMs: number): Promise<void> => {
  for (const tenantId of await listTenantIds(db)) await deleteExpiredRequests(db, tenantId, nowMs - keptForMs)
}
