import { isoTime } from '../../../base/clock.js'
import { recordAll } from '../../../changelog/record.js'
import { readyTopic } from '../../../db/topics.js'
import type { Call } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { noteEndedClaim } from '../claims/ended-store.js'
import { isClosed } from '../queue/ready.js'
import * as rows from '../row-store.js'
import * as store from '../store.js'
import type { StoredTask } from '../stored-task.js'
import { deleteBlockerLinks, findDependents } from '../structure/link-store.js'
import { findNodes } from '../structure/node-store.js'
import { propagate } from '../structure/propagate.js'
import { appearanceOf } from '../structure/seen.js'
import { deletedVersionOf, loggedFields, storedBytesOfTask, tasksPerTurn } from './record.js'
import { type TaskChange, writeTasks } from './write.js'

/**
 * Takes tasks from those that wait for them, each a change of its own; those of one project may go with them. Answers
 * who waited for which.
 */
export const releaseDependents = async (
  call: Call,
  taskIds: readonly string[],
  projectId?: string,
): Promise<ReadonlyMap<string, string[]>> => {
  const { db, actor } = call
  const going = new Set(taskIds)
  const released = new Map<string, string[]>(taskIds.map((id) => [id, []]))
  const ids = (await findDependents(db, actor.tenantId, taskIds)).filter((id) => !going.has(id))
  call.work?.expect('change', ids.length)
  const found = await store.findTasks(db, actor.tenantId, ids)
  const dependents = found.filter(({ doc }) => doc.projectId !== projectId)
  if (dependents.length === 0) return released
  await db.runAll([deleteBlockerLinks(db, actor.tenantId, taskIds)])
  await removeBlockers(call, dependents, going)
  for (const { doc } of dependents) for (const other of doc.blockedBy) released.get(other)?.push(doc.id)
  return released
}

/**
 * Removes blockers from the tasks that wait for them, each as a change of its own. Their links must be deleted already.
 */
export const removeBlockers = async (
  call: Call,
  dependents: readonly StoredTask[],
  going: ReadonlySet<string>,
): Promise<void> => {
  const { db, actor, clock } = call
  // Includes blockers in a deleted project.
  const blockers = await findNodes(db, actor.tenantId, [...going])
  const open = new Set(blockers.filter(({ statusCategory }) => !isClosed(statusCategory)).map(({ id }) => id))
  const updatedAt = isoTime(clock())
  const waiting = dependents.filter(({ doc }) => doc.blockedBy.some((id) => going.has(id)))
  const changes = waiting.map((before): TaskChange => {
    const { doc, counts } = before
    const blockedBy = doc.blockedBy.filter((other) => !going.has(other))
    const openBlockers = counts.openBlockers - doc.blockedBy.filter((other) => open.has(other)).length
    return {
      before,
      after: {
        ...before,
        counts: { ...counts, openBlockers },
        doc: { ...doc, blockedBy, version: doc.version + 1, updatedAt },
      },
      event: { type: 'task.updated', previous: { blockedBy: doc.blockedBy } },
    }
  })
  // No quota refuses what follows from a deletion.
  await writeTasks({ ...call, plan: undefined }, changes)
}

/** Removes a task and all below it, the last of the tasks being the one at their top. */
export const removeTasks = async (call: Call, tasks: readonly StoredTask[]): Promise<void> => {
  const { db, actor } = call
  const ids = tasks.map(({ doc }) => doc.id)
  const released = await releaseDependents(call, ids)
  const top = tasks.at(-1)!
  await propagate(call, [{ before: appearanceOf(top), after: null, ancestorsStep: 0 }])
  await inTurns(tasks, tasksPerTurn, async (some) => {
    await rows.deleteTasks(
      db,
      actor.tenantId,
      some.map(({ doc }) => doc.id),
    )
    const nowMs = call.clock()
    await db.runAll(some.flatMap((task) => noteEndedClaim(actor, nowMs, task, null, 'task.deleted')))
    await recordAll(
      call,
      some.map((task) => ({
        ...loggedFields(task, -storedBytesOfTask(task)),
        type: 'task.deleted' as const,
        // All of them are one entry of the trash, under the one at their top.
        entry: task === top ? { title: task.doc.title, count: tasks.length } : null,
        kept: deletedVersionOf(task, released.get(task.doc.id)),
      })),
    )
  })
  const isFreed = tasks.some(({ doc, claims }) => claims.current && doc.resources.length > 0)
  if (isFreed) db.announce(readyTopic(actor.tenantId))
}
