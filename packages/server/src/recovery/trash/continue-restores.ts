import type { DueWorker } from '../../background/loop.js'
import { itemsPerRound, runRound } from '../../background/rounds.js'
import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { ownOrigin } from '../../operations/call.js'
import { abandonedAtMs, continueRestore, pauseMs } from './restore-steps.js'
import { listRestoring } from './store.js'

/** After a step that was refused. */
const againAfterMs = 250

/** Continues restores whose callers stopped before the end. */
export const restoreWorker = (db: Db, clock: Clock): DueWorker => ({
  kind: 'restores',
  name: 'finishing restores',
  run: async (tenantId) => {
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('continueRestores') }
    const restores = await listRestoring(db, tenantId, itemsPerRound)
    await runRound(
      restores.map(({ id }) => id),
      async (id) => ((await continueRestore(call, id)) ? undefined : id),
      pauseMs,
    )
  },
  nextDueMs: async (db, tenantId) => {
    const times = (await listRestoring(db, tenantId, itemsPerRound)).map(abandonedAtMs)
    return times.length === 0 ? null : Math.max(clock() + againAfterMs, Math.min(...times))
  },
})
