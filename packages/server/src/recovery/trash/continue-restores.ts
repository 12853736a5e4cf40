import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { ownOrigin } from '../../operations/call.js'
import { continueRestore, pauseMs } from './restore-project.js'
import { listUnderWay } from './store.js'

/** Of different tenants' in turn, as long as one round lasts. */
const restoresAtOnce = 20
const roundMs = 1_000

/** Goes on with projects that are being restored and whose callers do not. */
export const continueRestores = async (db: Db, clock: Clock): Promise<void> => {
  const untilMs = performance.now() + roundMs
  let pending = await listUnderWay(db, 'restoring', restoresAtOnce)
  while (pending.length > 0 && performance.now() < untilMs) {
    const left: typeof pending = []
    for (const entry of pending) {
      const call = { db, clock, actor: serviceActor(entry.tenantId), origin: ownOrigin('continueRestores') }
      if (!(await continueRestore(call, entry.id))) left.push(entry)
      await sleep(pauseMs)
    }
    pending = left
  }
}
