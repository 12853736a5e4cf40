import { readyTopic } from '../../../db/topics.js'
import type { Call } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { createMaxAttempts } from '../../../tenancy/projects/service.js'
import { isReady } from '../queue/readiness-store.js'
import { dequeue, enqueue } from '../queue/ready-store.js'
import * as links from './link-store.js'
import { findNodes, type TaskNode, updateCounts } from './node-store.js'
import type { SeenChange } from './seen.js'

/** A subtree has at most 1,000 tasks. */
const maxSubtree = 1_000

const countsPerTurn = 250

/** The tasks that a change of another one touches: read once, changed in memory, written together. */
const createTouched = (call: Call) => {
  const { tenantId } = call.actor
  const nodes = new Map<string, { now: TaskNode; before: TaskNode }>()

  const load = async (ids: readonly string[]): Promise<TaskNode[]> => {
    const missing = ids.filter((id) => !nodes.has(id))
    call.work?.spend('count', missing.length)
    for (const node of await findNodes(call.db, tenantId, missing))
      nodes.set(node.id, { now: { ...node }, before: node })
    return ids.flatMap((id) => nodes.get(id)?.now ?? [])
  }

  const maxAttempts = createMaxAttempts(call)
  const isQueueable = async (node: TaskNode): Promise<boolean> =>
    isReady(node, node.attempts === 0 ? 1 : await maxAttempts(node.queued.projectId))

  const write = async (): Promise<void> => {
    const changed: { now: TaskNode; before: TaskNode }[] = []
    const queued: TaskNode[] = []
    const dequeued: string[] = []
    for (const { now, before } of nodes.values()) {
      const isShownChanged =
        now.openBlockers !== before.openBlockers ||
        now.openChildren !== before.openChildren ||
        now.totalChildren !== before.totalChildren
      if (isShownChanged) now.derived++
      if (isShownChanged || now.blockedAncestors !== before.blockedAncestors) changed.push({ now, before })
      const [was, is] = [await isQueueable(before), await isQueueable(now)]
      if (is && !was) queued.push(now)
      if (was && !is) dequeued.push(now.id)
    }
    await inTurns(changed, countsPerTurn, async (some) => call.db.runAll(updateCounts(call.db, tenantId, some)))
    await inTurns(dequeued, countsPerTurn, async (some) => call.db.runAll(dequeue(call.db, tenantId, some)))
    await inTurns(queued, countsPerTurn, async (some) =>
      call.db.runAll(
        enqueue(
          call.db,
          tenantId,
          some.map((node) => node.queued),
        ),
      ),
    )
    if (queued.length > 0) call.db.announce(readyTopic(tenantId))
  }
  return { load, write }
}

type Touched = ReturnType<typeof createTouched>

/** Counts a blocked ancestor more or less for everything below a task. */
const countForSubtree = async (call: Call, touched: Touched, taskId: string, step: number): Promise<void> => {
  if (step === 0) return
  const subtree = await links.findSubtree(call.db, call.actor.tenantId, taskId, maxSubtree + 1)
  for (const node of await touched.load(subtree)) if (node.id !== taskId) node.blockedAncestors += step
}

/** The tasks that wait for this one; answers those that no longer wait for any. */
const countForDependents = async (call: Call, touched: Touched, taskId: string, step: 1 | -1): Promise<string[]> => {
  const unblocked: string[] = []
  const dependents = await links.linkedFrom(call.db, call.actor.tenantId, 'blocker', taskId)
  for (const node of await touched.load(dependents)) {
    const wasBlocked = node.openBlockers > 0
    node.openBlockers += step
    const isBlocked = node.openBlockers > 0
    if (wasBlocked === isBlocked) continue
    if (!isBlocked) unblocked.push(node.id)
    if (node.totalChildren > 0) await countForSubtree(call, touched, node.id, isBlocked ? 1 : -1)
  }
  return unblocked
}

const countForParent = async (touched: Touched, parentId: string, step: 1 | -1, isOpen: boolean): Promise<void> => {
  for (const parent of await touched.load([parentId])) {
    parent.totalChildren += step
    if (isOpen) parent.openChildren += step
  }
}

const propagateOne = async (
  call: Call,
  touched: Touched,
  { before, after, ancestorsStep }: SeenChange,
): Promise<string[]> => {
  const isParentChanged = before?.parentId !== after?.parentId || before?.isOpen !== after?.isOpen
  if (isParentChanged && before?.parentId) await countForParent(touched, before.parentId, -1, before.isOpen)
  if (isParentChanged && after?.parentId) await countForParent(touched, after.parentId, 1, after.isOpen)
  const id = (after ?? before)!.id
  const ownStep = Number(after?.hasOpenBlockers ?? false) - Number(before?.hasOpenBlockers ?? false)
  if (before && after?.hasChildren) await countForSubtree(call, touched, id, ancestorsStep + ownStep)
  const wasOpen = before?.isOpen ?? false
  const isOpen = after?.isOpen ?? false
  return before && wasOpen !== isOpen ? countForDependents(call, touched, id, isOpen ? 1 : -1) : []
}

/**
 * Keeps the counts of other tasks true after changes of some, whose own rows and links are written already. Answers
 * the tasks that no longer wait for a blocker.
 */
export const propagate = async (call: Call, changes: readonly SeenChange[]): Promise<string[]> => {
  const touched = createTouched(call)
  const unblocked: string[] = []
  for (const change of changes) unblocked.push(...(await propagateOne(call, touched, change)))
  await touched.write()
  return unblocked
}
