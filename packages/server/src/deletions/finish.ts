import { setImmediate } from 'node:timers/promises'
import { serviceActor } from '../actor.js'
import { type Call, changing, ownOrigin } from '../call.js'
import type { Clock } from '../clock.js'
import type { Db } from '../db/port.js'
import { deleteProjectStep } from '../projects/delete.js'
import type { Project } from '../projects/schema.js'
import { releaseUserStep } from '../users/delete.js'
import type { User } from '../users/schema.js'
import * as store from './store.js'

/** Of different tenants' in turn, as long as one round lasts. */
const deletionsAtOnce = 20
const roundMs = 1_000

/** Makes one step; answers whether it was the last one. */
const steps: Record<store.DeletionKind, (call: Call, record: never) => Promise<boolean>> = {
  project: (call, record: Project) => deleteProjectStep(call, record),
  user: (call, record: User) => releaseUserStep(call, record),
}

/** Goes on with what is being deleted, in transactions that are short and between which others have their turn. */
export const finishDeletions = async (db: Db, clock: Clock): Promise<void> => {
  const untilMs = performance.now() + roundMs
  let pending = await store.listDeletions(db, deletionsAtOnce)
  while (pending.length > 0 && performance.now() < untilMs) {
    const left: store.Deletion[] = []
    for (const deletion of pending) {
      const { tenantId, kind, record } = deletion
      const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('finishDeletions') }
      const isDone = await changing(call, async (call) => {
        // A restore may have gone on with it meanwhile.
        if (!(await store.hasDeletion(call.db, tenantId, kind, deletion.id))) return true
        const isLast = await steps[kind](call, record as never)
        if (isLast) await store.deleteDeletion(call.db, deletion)
        return isLast
      })
      if (!isDone) left.push(deletion)
      await setImmediate()
    }
    pending = left
  }
}
