import { timedIdFloor } from '../../base/ids.js'
import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/each-in-turn.js'
import { listTenantIds } from '../../tenancy/tenants/service.js'
import { deleteSettledBefore } from './delivery/store.js'
import { listWebhookIds } from './store.js'

/** A step is short, so that writers wait for none. */
const deliveriesPerStep = 1_000

/** Deletes settled deliveries from before a time, for all tenants. */
export const trimDeliveries = async (db: Db, beforeMs: number): Promise<void> => {
  const beforeId = timedIdFloor('dlv', beforeMs)
  await eachInTurn(await listTenantIds(db), async (tenantId) => {
    for (const webhookId of await listWebhookIds(db, tenantId)) {
      for (let deleted = deliveriesPerStep; deleted === deliveriesPerStep; ) {
        deleted = await deleteSettledBefore(db, tenantId, webhookId, beforeId, deliveriesPerStep)
      }
    }
  })
}
