import { randomInt } from 'node:crypto'
import { systemClock } from '../../../base/clock.js'
import type { Sql } from '../../../db/port.js'
import { serviceActor } from '../../../operations/actor.js'
import { ownOrigin } from '../../../operations/call.js'
import { raiseClaimBase } from '../../../tenancy/projects/service.js'
import { claimedTasks, raiseClaimNumbers } from '../queue/queue.js'
import { expireClaims } from './expire.js'

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
