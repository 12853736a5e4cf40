import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import {
  type Deletion,
  endDeletion,
  isDeletionPending,
  oldestDeletionMs,
  pendingDeletions,
} from '../../changelog/deletions/service.js'
import type { DueWorker } from '../../changelog/due-work/loop.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import type { Project } from '../../tenancy/projects/schema.js'
import type { User } from '../../tenancy/users/schema.js'
import { deleteProjectStep } from './project.js'
import { releaseUserStep } from './user.js'

/** In turn, as long as one round lasts. */
const deletionsAtOnce = 20
const roundMs = 1_000

/** Makes one step; answers whether it was the last one. */
const steps: Record<Deletion['kind'], (call: Call, record: never) => Promise<boolean>> = {
  project: (call, record: Project) => deleteProjectStep(call, record),
  user: (call, record: User) => releaseUserStep(call, record),
}

/** Goes on with what is being deleted, in transactions that are short and between which others have their turn. */
export const deletionWorker = (db: Db, clock: Clock): DueWorker => ({
  kind: 'deletions',
  name: 'finishing deletions',
  run: async (tenantId) => {
    const untilMs = performance.now() + roundMs
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('finishDeletions') }
    let pending = await pendingDeletions(db, tenantId, deletionsAtOnce)
    while (pending.length > 0 && performance.now() < untilMs) {
      const left: Deletion[] = []
      for (const deletion of pending) {
        const { kind, record } = deletion
        const isDone = await changing(call, async (call) => {
          // A restore may have gone on with it meanwhile.
          if (!(await isDeletionPending(call, kind, deletion.id))) return true
          const isLast = await steps[kind](call, record as never)
          if (isLast) await endDeletion(call, kind, deletion.id)
          return isLast
        })
        if (!isDone) left.push(deletion)
        await setImmediate()
      }
      pending = left
    }
  },
  nextDueMs: oldestDeletionMs,
})
