import type { Db } from '../db/port.js'
import { listTenants } from '../tenants/service.js'
import { noTenant } from './service.js'
import { deleteOldest } from './store.js'

const keptForMs = 365 * 86_400_000
/** A step is short, so that writers wait for none. */
const entriesPerStep = 1_000

/** Removes entries that are more than a year old, of all tenants and of none. */
export const trimAudit = async (db: Db, nowMs: number): Promise<void> => {
  const tenants = [noTenant, ...(await listTenants(db)).map(({ id }) => id)]
  for (const tenantId of tenants) {
    while ((await deleteOldest(db, tenantId, nowMs - keptForMs, entriesPerStep)) === entriesPerStep);
  }
}
