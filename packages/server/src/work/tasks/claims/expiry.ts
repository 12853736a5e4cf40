import type { Clock } from '../../../base/clock.js'
import type { DueWorker } from '../../../changelog/due-work/loop.js'
import type { Db } from '../../../db/port.js'
import { serviceActor } from '../../../operations/actor.js'
import { changing, ownOrigin } from '../../../operations/call.js'
import { nextDueMs } from '../queue/queue.js'
import { settleStep } from './service.js'

const roundMs = 1_000

/**
 * Ends the claims that have run out and queues the tasks whose time has come, in small steps. Any number of nodes may do
 * so: each task is settled once, by whoever comes first.
 */
export const dueTasks = (db: Db, clock: Clock): DueWorker => ({
  kind: 'tasks',
  name: 'settling due tasks',
  run: async (tenantId) => {
    const untilMs = performance.now() + roundMs
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('settleDueTasks') }
    while ((await changing(call, settleStep)) && performance.now() < untilMs);
  },
  nextDueMs,
})
