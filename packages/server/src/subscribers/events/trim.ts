import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/each-in-turn.js'
import { listTenantIds } from '../../tenancy/tenants/service.js'
import { deleteEventsUpTo, findLastExpired } from './log-store.js'

/** Small steps keep writers from waiting. */
const eventsPerStep = 1_000

const trimTenant = async (db: Db, tenantId: string, beforeMs: number): Promise<void> => {
  for (let deleted = eventsPerStep; deleted === eventsPerStep; ) {
    const last = await findLastExpired(db, tenantId, beforeMs, eventsPerStep)
    if (last === null) return
    deleted = await db.transaction((tx) => deleteEventsUpTo(tx, tenantId, last), tenantId)
  }
}

/** Deletes events from before a time, for all tenants. */
export const trimEvents = async (db: Db, beforeMs: number): Promise<void> => {
  await eachInTurn(await listTenantIds(db), (tenantId) => trimTenant(db, tenantId, beforeMs))
}
