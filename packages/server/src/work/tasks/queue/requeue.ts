import type { Statement } from '../../../db/port.js'
import { readyTopic } from '../../../db/topics.js'
import type { Call } from '../../../operations/call.js'
import { createMaxAttempts } from '../../../tenancy/projects/service.js'
import { freesResources } from '../resources/store.js'
import { type BeforeAndAfter, resourcefulTask, type StoredTask } from '../stored-task.js'
import { isExhausted, isReady, readinessOf } from './readiness-store.js'
import { queuedTask } from './ready.js'
import { dequeue, enqueue, type QueuedTask } from './ready-store.js'

interface Requeueing {
  statements: Statement[]
  /** Those that have used up their attempts, and had not before. */
  exhausted: StoredTask[]
}

/** What a ready task is queued by. One that was found to wait for a resource is looked at again if it needs others. */
const queueKeyOf = (task: StoredTask): string => JSON.stringify([queuedTask(task), task.doc.resources])

/** Puts tasks into the queue of those that are ready, or takes them out of it. */
export const requeue = async (call: Call, tasks: readonly BeforeAndAfter[]): Promise<Requeueing> => {
  const { db, actor } = call
  const maxAttempts = createMaxAttempts(call)
  /** Only a task that was claimed can have used up its attempts. */
  const maxAttemptsOf = async ({ doc }: StoredTask): Promise<number> =>
    doc.attempts === 0 ? 1 : maxAttempts(doc.projectId)
  const leaving: string[] = []
  const entering: QueuedTask[] = []
  const exhausted: StoredTask[] = []
  /** Tasks that are ready already may now be those that somebody waits for. */
  let isForOthers = false
  for (const { before, after } of tasks) {
    const maxBefore = before ? await maxAttemptsOf(before) : 1
    const maxAfter = await maxAttemptsOf(after)
    const was = before !== null && isReady(readinessOf(before), maxBefore)
    const is = isReady(readinessOf(after), maxAfter)
    if (isExhausted(after.doc, maxAfter) && !(before && isExhausted(before.doc, maxBefore))) exhausted.push(after)
    if (before && freesResources(resourcefulTask(before), resourcefulTask(after))) isForOthers = true
    if (before && before.doc.parentId !== after.doc.parentId) isForOthers = true
    const isSame = was && is && queueKeyOf(before) === queueKeyOf(after)
    if (isSame) continue
    if (was) leaving.push(before.doc.id)
    if (is) entering.push(queuedTask(after))
  }
  if (entering.length > 0 || isForOthers) db.announce(readyTopic(actor.tenantId))
  return { statements: [...dequeue(db, actor.tenantId, leaving), ...enqueue(db, actor.tenantId, entering)], exhausted }
}
