import { noteDue } from '../../changelog/due-work/note.js'
import type { Call } from '../../operations/call.js'
import { queueReturned } from './store.js'

/** Tasks came back, and so do the marks on them. */
export const queueStaleChecks = async ({ db, actor, clock }: Call, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const nowMs = clock()
  await db.runAll([
    queueReturned(db, actor.tenantId, ids, nowMs),
    ...noteDue(db, { tenantId: actor.tenantId, kind: 'stale_checks', dueAtMs: nowMs }, nowMs),
  ])
}
