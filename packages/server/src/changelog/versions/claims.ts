import type { ActorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { listClaimChanges } from './store.js'
import { recordName } from './version.js'

/** A claim of a task that was made, or one that ended. */
export interface ClaimChange {
  type: 'task.claimed' | 'task.released' | 'task.claim_expired'
  atMs: number
  by: ActorRef
}

/** The last changes of the claims of a task, the oldest first, as far as the history has them. */
export const claimChangesOf = async ({ db, actor }: Call, taskId: string, count: number): Promise<ClaimChange[]> => {
  const rows = await listClaimChanges(db, actor.tenantId, recordName.task(taskId), count)
  return rows
    .map(({ type, created_at, actor }) => ({ type, atMs: created_at, by: JSON.parse(actor) as ActorRef }))
    .reverse()
}
