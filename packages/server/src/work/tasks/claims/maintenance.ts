import { randomInt } from 'node:crypto'
import type { DueWorker } from '../../../background/loop.js'
import { type Clock, systemClock } from '../../../base/clock.js'
import type { AgedRows } from '../../../db/aged-rows.js'
import type { Db, Sql } from '../../../db/port.js'
import { serviceActor } from '../../../operations/actor.js'
import { changing, ownOrigin } from '../../../operations/call.js'
import { raiseClaimBase } from '../../../tenancy/projects/service.js'
import { claimedTasks, nextDueMs, raiseClaimNumbers } from '../queue/queue.js'
import { expireClaims } from './expire.js'
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

/** More claims than a task gets between a backup and its restore. */
const claimGap = 1_000
const largestClaimGap = 1_000_000

/**
 * Ends all claims, and numbers new ones far above those that may have been given out since the backup. The gap is
 * random, since another restore of the same backup starts from the same numbers.
 */
export const restartClaims = async (tx: Sql, tenantId: string): Promise<void> => {
  const origin = ownOrigin('afterRestore')
  const call = { db: tx, clock: systemClock, actor: serviceActor(tenantId), origin }
  await expireClaims(call, await claimedTasks(call))
  const gap = randomInt(claimGap, largestClaimGap)
  await raiseClaimNumbers(tx, tenantId, gap)
  await raiseClaimBase(tx, tenantId, gap)
}

const keptForMs = 30 * 86_400_000

export const agedClaims: AgedRows = {
  table: 'ended_claims',
  key: ['task_id', 'number'],
  age: 'ended_at',
  upTo: (nowMs) => nowMs - keptForMs,
}
