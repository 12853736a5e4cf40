import { recordAll } from '../../../changelog/record.js'
import type { Call } from '../../../operations/call.js'
import { updateClaims } from '../queue/claim-store.js'
import { noteDueTasks } from '../queue/due.js'
import { requeue } from '../queue/requeue.js'
import * as rows from '../row-store.js'
import type { StoredTask } from '../stored-task.js'
import { loggedFields } from './record.js'

/** Renews a claim: no change of the task, so no event and no new version. */
export const writeRenewal = async (call: Call, task: StoredTask): Promise<StoredTask> => {
  const after = { ...task, counts: { ...task.counts, derived: task.counts.derived + 1 } }
  await call.db.runAll([
    updateClaims(call.actor.tenantId, task.doc.id, task.claims, after.counts.derived),
    ...noteDueTasks(call, [after]),
  ])
  return after
}

/** Counts the open questions of a task, which hold it back: no change of the task either. */
export const writeOpenQuestions = async (call: Call, before: StoredTask, openQuestions: number): Promise<void> => {
  const { db, actor } = call
  const { doc, counts } = before
  const after = { ...before, counts: { ...counts, openQuestions, derived: counts.derived + 1 } }
  await db.runAll([
    rows.setOpenQuestions(actor.tenantId, doc.id, openQuestions, after.counts.derived),
    ...(await requeue(call, [{ before, after }])).statements,
  ])
}

/** Stores the marks of tasks without creating new versions. Records an event for each task that `isTold` selects. */
export const writeMarks = async (call: Call, tasks: readonly StoredTask[], isTold: (task: StoredTask) => boolean) => {
  const { db, actor } = call
  await db.runAll(tasks.map((task) => rows.setStale(actor.tenantId, task)))
  await recordAll(
    call,
    tasks.filter(isTold).map((task) => ({ type: 'task.stale' as const, ...loggedFields(task, 0) })),
  )
}
