import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import type { DueWorker } from '../../changelog/due-work/loop.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { ownOrigin } from '../../operations/call.js'
import { abandonedAtMs, continueRestore, pauseMs } from './restore-steps.js'
import { listRestoring } from './store.js'

/** In turn, as long as one round lasts. */
const restoresAtOnce = 20
const roundMs = 1_000
/** After a step that was refused. */
const againAfterMs = 250

/** Continues restores whose callers stopped before the end. */
export const restoreWorker = (db: Db, clock: Clock): DueWorker => ({
  kind: 'restores',
  name: 'finishing restores',
  run: async (tenantId) => {
    const untilMs = performance.now() + roundMs
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('continueRestores') }
    let pending = (await listRestoring(db, tenantId, restoresAtOnce)).map(({ id }) => id)
    while (pending.length > 0 && performance.now() < untilMs) {
      const left: string[] = []
      for (const id of pending) {
        if (!(await continueRestore(call, id))) left.push(id)
        await sleep(pauseMs)
      }
      pending = left
    }
  },
  nextDueMs: async (db, tenantId) => {
    const times = (await listRestoring(db, tenantId, restoresAtOnce)).map(abandonedAtMs)
    return times.length === 0 ? null : Math.max(clock() + againAfterMs, Math.min(...times))
  },
})
