import type { Db } from '../db/port.js'
import { timedIdFloor } from '../ids.js'

/** A step is short, so that writers wait for none. */
const deliveriesPerStep = 1_000

/** Forgets settled deliveries from before a time, for all tenants. */
export const trimDeliveries = async (db: Db, beforeMs: number): Promise<void> => {
  const webhooks = await db.all<{ tenant_id: string; id: string }>('select tenant_id, id from webhooks')
  for (const { tenant_id, id } of webhooks) {
    for (let removed = deliveriesPerStep; removed === deliveriesPerStep; ) {
      removed = await db.run(
        `delete from webhook_deliveries where tenant_id = ? and webhook_id = ? and id in (
           select id from webhook_deliveries
           where tenant_id = ? and webhook_id = ? and id < ? and next_attempt_at is null order by id limit ?)`,
        [tenant_id, id, tenant_id, id, timedIdFloor('dlv', beforeMs), deliveriesPerStep],
      )
    }
  }
}
