import { isoTime } from '../../../base/clock.js'
import type { SkippedLink } from '../../../changelog/versions/schema.js'
import type { Call } from '../../../operations/call.js'
import { maxBlockers } from '../fields.js'
import { isClosed } from '../queue/ready.js'
import { countDependents, maxDependents } from '../references.js'
import * as rows from '../row-store.js'
import * as store from '../store.js'
import type { StoredTask } from '../stored-task.js'
import { findForbiddenDependents } from '../structure/cycle.js'
import { blockerLink, insertLinks, parentLinks } from '../structure/link-store.js'
import { findNodes } from '../structure/node-store.js'
import { type TaskChange, writeTasks } from '../write/write.js'
import { possibleBlockers, possibleParent } from './possible.js'

/** Makes the links again that tasks have among each other, which had no cycle. `isInside` tells whether a task came back. */
export const linkInside = async (
  call: Call,
  tasks: readonly StoredTask[],
  isInside: (id: string) => boolean,
): Promise<void> => {
  const links = tasks.flatMap(({ doc: { id, blockedBy, parentId } }) => [
    ...blockedBy.filter(isInside).map((other) => blockerLink(id, other)),
    ...(parentId !== null && isInside(parentId) ? parentLinks(id, parentId) : []),
  ])
  await call.db.runAll(insertLinks(call.db, call.actor.tenantId, links))
}

/** Makes the links to other tasks again, one by one: what became of those is not known. */
export const linkOutside = async (
  call: Call,
  tasks: readonly StoredTask[],
  isInside: (id: string) => boolean,
  skipped: SkippedLink[],
): Promise<void> => {
  const { db, actor } = call
  for (const task of tasks) {
    const { doc } = task
    const outside = doc.blockedBy.filter((id) => !isInside(id))
    const isChild = doc.parentId !== null && !isInside(doc.parentId)
    if (outside.length === 0 && !isChild) continue
    const parentId = isChild ? await possibleParent(call, doc, skipped) : doc.parentId
    if (isChild && parentId !== null) await db.runAll(insertLinks(db, actor.tenantId, parentLinks(doc.id, parentId)))
    const possible = await possibleBlockers(call, doc, outside, skipped)
    await db.runAll(
      insertLinks(
        db,
        actor.tenantId,
        possible.map((other) => blockerLink(doc.id, other)),
      ),
    )
    const blockedBy = doc.blockedBy.filter((id) => isInside(id) || possible.includes(id))
    const after = { ...task, doc: { ...doc, blockedBy, parentId } }
    await db.runAll(rows.updateTask(db, actor.tenantId, task, after))
  }
}

/** Lets those that waited for a task wait for it again, each a change of its own, written as one step. */
export const relinkDependents = async (
  call: Call,
  taskId: string,
  dependents: readonly string[],
  skipped: SkippedLink[],
): Promise<void> => {
  if (dependents.length === 0) return
  const { db, actor, clock } = call
  const { tenantId } = actor
  const found = new Map((await store.findTasks(db, tenantId, dependents)).map((task) => [task.doc.id, task]))
  const [blocker] = await findNodes(db, tenantId, [taskId])
  const step = blocker && !isClosed(blocker.statusCategory) ? 1 : 0
  const forbidden = await findForbiddenDependents(call, taskId)
  const room = maxDependents - ((await countDependents(call, [taskId])).get(taskId) ?? 0)
  const updatedAt = isoTime(clock())
  const changes: TaskChange[] = []
  for (const id of dependents) {
    const skip = (reason: SkippedLink['reason']) =>
      skipped.push({ task: id, field: 'blockedBy', value: taskId, reason })
    const before = found.get(id)
    if (!before) {
      skip('not found')
      continue
    }
    const { doc, counts } = before
    if (doc.blockedBy.includes(taskId)) continue
    if (forbidden.has(id)) {
      skip('cycle')
      continue
    }
    if (doc.blockedBy.length >= maxBlockers || changes.length >= room) {
      skip('too many')
      continue
    }
    changes.push({
      before,
      after: {
        ...before,
        counts: { ...counts, openBlockers: counts.openBlockers + step },
        doc: { ...doc, blockedBy: [...doc.blockedBy, taskId], version: doc.version + 1, updatedAt },
      },
      event: { type: 'task.updated', previous: { blockedBy: doc.blockedBy } },
    })
  }
  await db.runAll(
    insertLinks(
      db,
      tenantId,
      changes.map(({ before }) => blockerLink(before.doc.id, taskId)),
    ),
  )
  // No quota refuses what follows from a restore.
  await writeTasks({ ...call, plan: undefined }, changes)
}
