import type { DueWorker } from '../../background/loop.js'
import { itemsPerRound, runRound } from '../../background/rounds.js'
import type { Clock } from '../../base/clock.js'
import {
  continueDeletion,
  type Deletion,
  endDeletion,
  isDeletionPending,
  oldestDeletionMs,
  pendingDeletions,
} from '../../changelog/deletions/service.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import type { User } from '../../tenancy/users/schema.js'
import { type Severing, severStep } from './project.js'
import { releaseUserStep } from './user.js'

/** Functions that run one step each. They return the progress for the next step, or undefined after the last. */
const steps: Record<Deletion['kind'], (call: Call, record: never) => Promise<object | undefined>> = {
  project: (call, record: Severing) => severStep(call, record),
  user: async (call, record: User) => ((await releaseUserStep(call, record)) ? undefined : record),
}

/** Goes on with what is being deleted, in transactions that are short and between which others have their turn. */
export const deletionWorker = (db: Db, clock: Clock): DueWorker => ({
  kind: 'deletions',
  name: 'finishing deletions',
  run: async (tenantId) => {
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('finishDeletions') }
    await runRound(await pendingDeletions(db, tenantId, itemsPerRound), async (deletion) => {
      const { kind, id, record } = deletion
      const next = await changing(call, async (call) => {
        // The project may have been restored or purged.
        if (!(await isDeletionPending(call, kind, id))) return undefined
        const next = await steps[kind](call, record as never)
        if (next) await continueDeletion(call, kind, id, next)
        else await endDeletion(call, kind, id)
        return next
      })
      return next && { ...deletion, record: next }
    })
  },
  nextDueMs: oldestDeletionMs,
})
