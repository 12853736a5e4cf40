import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/each-in-turn.js'
import { noTenant } from './service.js'
import { deleteOldest } from './store.js'

const keptForMs = 365 * 86_400_000
/** A step is short, so that writers wait for none. */
const entriesPerStep = 1_000

/** Removes entries that are more than a year old, of the tenants and of none. */
export const trimAudit = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn([noTenant, ...tenantIds], async (tenantId) => {
    while ((await deleteOldest(db, tenantId, nowMs - keptForMs, entriesPerStep)) === entriesPerStep);
  })
}
