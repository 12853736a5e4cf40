import type { Clock } from '../../../base/clock.js'
import type { Db } from '../../../db/port.js'
import { serviceActor } from '../../../operations/actor.js'
import { changing, ownOrigin } from '../../../operations/call.js'
import { tenantsWithDueTasks } from '../queue/queue.js'
import { settleStep } from './service.js'

/** More are left for the next time. */
const tenantsAtOnce = 100

/**
 * Ends the claims that have run out and queues the tasks whose time has come, in small steps, for all tenants. Any
 * number of nodes may do so: each task is settled once, by whoever comes first.
 */
export const settleDueTasks = async (db: Db, clock: Clock): Promise<void> => {
  for (const tenantId of await tenantsWithDueTasks(db, clock(), tenantsAtOnce)) {
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('settleDueTasks') }
    while (await changing(call, settleStep));
  }
}
