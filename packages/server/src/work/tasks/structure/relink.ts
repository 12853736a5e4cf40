import type { Call } from '../../../operations/call.js'
import { isClosed } from '../queue/ready.js'
import { checkBlockers, checkParent } from '../references.js'
import type { StoredTask, TaskCounts } from '../stored-task.js'
import { refuseCycle } from './cycle.js'
import { blockerLink, deleteLinks, insertLinks, parentLinks } from './link-store.js'

/** Checks and writes the links of a task that differ from those before; answers the counts that follow from them. */
export const relink = async (
  call: Call,
  before: StoredTask | null,
  after: StoredTask,
): Promise<Pick<TaskCounts, 'openBlockers' | 'blockedAncestors'>> => {
  const { db, actor } = call
  const { id, blockedBy, parentId, projectId } = after.doc
  const wasBlockedBy = before?.doc.blockedBy ?? []
  const wasParent = before?.doc.parentId ?? null
  const areBlockersChanged = wasBlockedBy.join() !== blockedBy.join()
  const { openBlockers, blockedAncestors } = after.counts
  const isOpen = !isClosed(after.doc.statusCategory)
  // A parent waits again for what is open again.
  const isReopened = before !== null && isOpen && isClosed(before.doc.statusCategory) && parentId !== null
  if (!areBlockersChanged && wasParent === parentId) {
    if (isReopened) await refuseCycle(call, { taskId: id, isOpen, blockerIds: [], parentId })
    return { openBlockers, blockedAncestors }
  }

  const added = blockedBy.filter((other) => !wasBlockedBy.includes(other))
  const removed = wasBlockedBy.filter((other) => !blockedBy.includes(other))
  const open = areBlockersChanged
    ? await checkBlockers(call, after.doc, { blockedBy: wasBlockedBy, parentId: wasParent })
    : openBlockers
  let blocked = blockedAncestors
  if (wasParent !== parentId) {
    await db.runAll(deleteLinks(actor.tenantId, parentLinks(id, wasParent)))
    blocked = parentId === null ? 0 : await checkParent(call, { taskId: id, projectId, parentId })
  }
  await db.runAll(
    deleteLinks(
      actor.tenantId,
      removed.map((other) => blockerLink(id, other)),
    ),
  )
  const newParentId = wasParent === parentId ? null : parentId
  // Nothing waits for a new task but its parent, so with blockers alone it closes no circle.
  const isNewParent = newParentId !== null
  if (before ? added.length > 0 || isNewParent || isReopened : added.length > 0 && isNewParent) {
    const waits = {
      taskId: id,
      isNew: !before,
      isOpen,
      blockerIds: added,
      parentId: isReopened ? parentId : newParentId,
    }
    await refuseCycle(call, waits)
  }
  await db.runAll(
    insertLinks(db, actor.tenantId, [...added.map((other) => blockerLink(id, other)), ...parentLinks(id, newParentId)]),
  )
  return { openBlockers: open, blockedAncestors: blocked }
}
