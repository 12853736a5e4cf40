import { recordAll } from '../../../changelog/record.js'
import type { Statement } from '../../../db/port.js'
import { readyTopic } from '../../../db/topics.js'
import type { Call } from '../../../operations/call.js'
import { commentsLeftOf } from '../comments/service.js'
import { countOpen as countOpenQuestions } from '../questions/store.js'
import { noteDueTasks, wakeUpOf } from '../queue/due.js'
import { isReady, readinessOf } from '../queue/readiness-store.js'
import { queuedTask } from '../queue/ready.js'
import { enqueue } from '../queue/ready-store.js'
import * as rows from '../row-store.js'
import type { StoredTask } from '../stored-task.js'
import { findAncestors } from '../structure/link-store.js'
import { countChildren, countOpenBlockers, findNodes, updateCounts } from '../structure/node-store.js'
import { restoredChangeOf } from '../write/record.js'

/** Counts what tasks that came back wait for, their children, comments and open questions. */
export const countAgain = async (call: Call, ids: readonly string[]): Promise<void> => {
  const { db, actor } = call
  const { tenantId } = actor
  const open = await countOpenBlockers(db, tenantId, ids)
  const children = await countChildren(db, tenantId, ids)
  const counted = (await findNodes(db, tenantId, ids)).map((before) => ({
    before,
    now: {
      ...before,
      openBlockers: open.get(before.id) ?? 0,
      totalChildren: children.get(before.id)?.total ?? 0,
      openChildren: children.get(before.id)?.open ?? 0,
    },
  }))
  await db.runAll([
    ...updateCounts(db, tenantId, counted),
    ...rows.setCommentCounts(tenantId, await commentsLeftOf(call, ids)),
    ...rows.setQuestionCounts(tenantId, await countOpenQuestions(db, tenantId, ids)),
  ])
}

/** Tells how many ancestors of a task are blocked, which is the same for all tasks with one parent. */
const createBlockedAncestors = ({ db, actor }: Call) => {
  const known = new Map<string, number>()
  return async ({ doc: { id, parentId } }: StoredTask): Promise<number> => {
    if (parentId === null) return 0
    const found = known.get(parentId)
    if (found !== undefined) return found
    const nodes = await findNodes(db, actor.tenantId, await findAncestors(db, actor.tenantId, id))
    const count = nodes.filter(({ openBlockers }) => openBlockers > 0).length
    known.set(parentId, count)
    return count
  }
}

/**
 * Queues tasks that came back and were counted, and tells of them. `undoes` is the event that deleted a task, where the
 * deletion is taken back.
 */
export const settle = async (
  call: Call,
  tasks: readonly StoredTask[],
  maxAttempts: number,
  undoes: (taskId: string) => string | undefined,
): Promise<void> => {
  const { db, actor, clock } = call
  const { tenantId } = actor
  const settled: StoredTask[] = []
  const changes: Statement[] = []
  const blockedAncestorsOf = createBlockedAncestors(call)
  for (const task of tasks) {
    const blockedAncestors = await blockedAncestorsOf(task)
    const after = { ...task, counts: { ...task.counts, blockedAncestors }, wakeAtMs: wakeUpOf(task, clock()) }
    const isSame = task.counts.blockedAncestors === blockedAncestors && task.wakeAtMs === after.wakeAtMs
    if (!isSame) changes.push(...rows.updateTask(db, tenantId, task, after))
    settled.push(after)
  }
  const ready = settled.filter((task) => isReady(readinessOf(task), maxAttempts))
  await db.runAll([...changes, ...noteDueTasks(call, settled), ...enqueue(db, tenantId, ready.map(queuedTask))])
  await recordAll(
    call,
    settled.map((task) => restoredChangeOf(task, undoes(task.doc.id))),
  )
  if (ready.length > 0) db.announce(readyTopic(tenantId))
}
