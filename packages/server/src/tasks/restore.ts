import type { Call } from '../call.js'
import { noClaims } from '../claims/rules.js'
import { isoTime } from '../clock.js'
import { commentsLeftOf } from '../comments/service.js'
import { isRefusal } from '../errors.js'
import { recordAll } from '../events/record.js'
import type { SkippedLink } from '../history/schema.js'
import { findUser } from '../users/service.js'
import { findForbiddenDependents, refuseCycle } from './cycle.js'
import { countLinkedFrom, findAncestors, insertLinks, type Link } from './link-store.js'
import { countChildren, countOpenBlockers, findNodes, updateCounts } from './node-store.js'
import { propagate } from './propagate.js'
import { isClosed, isReady, queuedTask, readinessOf } from './ready.js'
import { enqueue } from './ready-store.js'
import { readyTopic } from './ready-topic.js'
import { findByExternalId, findReferenced } from './reference-store.js'
import { checkParent, maxDependents } from './references.js'
import { maxBlockers, type TaskVersion } from './schema.js'
import type { StoredTask } from './store.js'
import * as store from './store.js'
import { appearanceOf, restoredChangeOf, type TaskChange, type TaskRest, wakeUpOf, writeTasks } from './write.js'

/** A task as it was deleted. */
export interface DeletedTask {
  version: TaskVersion
  rest: TaskRest
}

/** What kept a link from being made again. */
export const skipReason = (error: unknown): SkippedLink['reason'] => {
  if (!isRefusal(error)) throw error
  if (error.extras.reason === 'cycle') return 'cycle'
  return error.extras.reason === 'depth' ? 'too many' : 'not found'
}

const blockerLink = (taskId: string, otherId: string): Link => ({ taskId, kind: 'blocker', otherId })
const parentLinks = (taskId: string, parentId: string): Link[] => [
  { taskId, kind: 'parent', otherId: parentId },
  { taskId: parentId, kind: 'child', otherId: taskId },
]

/** The user that a task was assigned to, if they are still there. */
export const livingAssignee = async (
  call: Call,
  taskId: string,
  assignee: TaskVersion['assignee'],
  skipped: SkippedLink[],
): Promise<TaskVersion['assignee']> => {
  if (!assignee) return null
  const user = await findUser(call, assignee.id)
  if (user) return { id: user.id, name: user.name }
  skipped.push({ task: taskId, field: 'assignee', value: assignee.id, reason: 'not found' })
  return null
}

/** The external id of a task, unless another has it now. */
export const freeExternalId = async (
  call: Call,
  { id, projectId, externalId }: Pick<TaskVersion, 'id' | 'projectId' | 'externalId'>,
  skipped: SkippedLink[],
): Promise<string | null> => {
  if (externalId === null) return null
  const taken = await findByExternalId(call.db, call.actor.tenantId, projectId, externalId)
  if (taken === undefined || taken === id) return externalId
  skipped.push({ task: id, field: 'externalId', value: externalId, reason: 'in use' })
  return null
}

/** Tasks of a project that comes back, in the order of their ids. */
export const tasksAfter = (call: Call, projectKey: string, after: string, count: number): Promise<StoredTask[]> =>
  store.findProjectTasksAfter(call.db, call.actor.tenantId, projectKey, after, count)

/** Puts deleted tasks back, as their next versions; their links and whatever is counted follow. */
export const insertDeleted = async (call: Call, deleted: readonly DeletedTask[], skipped: SkippedLink[]) => {
  const { db, actor, clock } = call
  const updatedAt = isoTime(clock())
  for (const { version, rest } of deleted) {
    const { assignee: was, ...fields } = version
    const assignee = await livingAssignee(call, fields.id, was, skipped)
    const task: StoredTask = {
      doc: {
        ...fields,
        // Its claim has ended with it.
        status: rest.isClaimed && fields.status === 'in_progress' ? 'todo' : fields.status,
        externalId: await freeExternalId(call, fields, skipped),
        version: fields.version + 1,
        updatedAt,
      },
      assignee,
      assigneeId: assignee?.id ?? null,
      claims: { ...noClaims, number: rest.claimNumber },
      counts: store.noCounts,
      wakeAtMs: null,
    }
    await db.runAll(store.insertTask(db, actor.tenantId, task))
  }
}

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

/** The blockers of a task that it can have: they are there, block few enough others and do not wait for it. */
export const possibleBlockers = async (
  call: Call,
  taskId: string,
  wanted: readonly string[],
  skipped: SkippedLink[],
  parentId: string | null = null,
): Promise<string[]> => {
  const { db, actor } = call
  const found = new Set((await findReferenced(db, actor.tenantId, wanted)).map(({ id }) => id))
  const possible: string[] = []
  for (const value of wanted) {
    const skip = (reason: SkippedLink['reason']) => skipped.push({ task: taskId, field: 'blockedBy', value, reason })
    if (!found.has(value)) {
      skip('not found')
      continue
    }
    if ((await countLinkedFrom(db, actor.tenantId, 'blocker', value, maxDependents)) >= maxDependents) {
      skip('too many')
      continue
    }
    try {
      await refuseCycle(db, actor.tenantId, { taskId, blockerIds: [value], parentId })
      possible.push(value)
    } catch (error) {
      skip(skipReason(error))
    }
  }
  return possible
}

/** The parent of a task, if it can be that still. */
export const possibleParent = async (
  call: Call,
  { id, projectId, parentId }: Pick<TaskVersion, 'id' | 'projectId' | 'parentId'>,
  skipped: SkippedLink[],
): Promise<string | null> => {
  if (parentId === null) return null
  try {
    await checkParent(call, { taskId: id, projectId, parentId })
    await refuseCycle(call.db, call.actor.tenantId, { taskId: id, blockerIds: [], parentId })
    return parentId
  } catch (error) {
    skipped.push({ task: id, field: 'parentId', value: parentId, reason: skipReason(error) })
    return null
  }
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
    const possible = await possibleBlockers(call, doc.id, outside, skipped)
    await db.runAll(
      insertLinks(
        db,
        actor.tenantId,
        possible.map((other) => blockerLink(doc.id, other)),
      ),
    )
    const blockedBy = doc.blockedBy.filter((id) => isInside(id) || possible.includes(id))
    const after = { ...task, doc: { ...doc, blockedBy, parentId } }
    await db.runAll(store.updateTask(db, actor.tenantId, task, after))
  }
}

/** Counts what tasks that came back wait for, their children and their comments. */
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
    ...store.setCommentCounts(tenantId, await commentsLeftOf(call, ids)),
  ])
}

const blockedAncestorsOf = async (call: Call, { doc }: StoredTask): Promise<number> => {
  if (doc.parentId === null) return 0
  const ancestors = await findAncestors(call.db, call.actor.tenantId, doc.id)
  const nodes = await findNodes(call.db, call.actor.tenantId, ancestors)
  return nodes.filter(({ openBlockers }) => openBlockers > 0).length
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
  for (const task of tasks) {
    const counts = { ...task.counts, blockedAncestors: await blockedAncestorsOf(call, task) }
    settled.push({ ...task, counts, wakeAtMs: wakeUpOf(task, clock()) })
  }
  const ready = settled.filter((task) => isReady(readinessOf(task), maxAttempts))
  await db.runAll([
    ...settled.flatMap((task, at) => store.updateTask(db, tenantId, tasks[at]!, task)),
    ...enqueue(db, tenantId, ready.map(queuedTask)),
  ])
  await recordAll(
    call,
    settled.map((task) => restoredChangeOf(task, undoes(task.doc.id))),
  )
  if (ready.length > 0) db.announce(readyTopic(tenantId))
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
  const step = blocker && !isClosed(blocker.status) ? 1 : 0
  const forbidden = await findForbiddenDependents(db, tenantId, taskId)
  const room = maxDependents - (await countLinkedFrom(db, tenantId, 'blocker', taskId, maxDependents))
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

/** Brings tasks that were deleted together back, with the links that they had; the first is the one at their top. */
export const restoreTasks = async (
  call: Call,
  deleted: readonly DeletedTask[],
  maxAttempts: number,
  undoes: (taskId: string) => string | undefined,
): Promise<SkippedLink[]> => {
  const { db, actor } = call
  const skipped: SkippedLink[] = []
  const ids = deleted.map(({ version }) => version.id)
  const inside = new Set(ids)
  const isInside = (id: string): boolean => inside.has(id)
  const read = () => store.findTasks(db, actor.tenantId, ids)
  await insertDeleted(call, deleted, skipped)
  await linkInside(call, await read(), isInside)
  await linkOutside(call, await read(), isInside, skipped)
  await countAgain(call, ids)
  await settle(call, await read(), maxAttempts, undoes)
  const [top] = await read()
  if (top!.doc.parentId !== null) await propagate(call, [{ before: null, after: appearanceOf(top!), ancestorsStep: 0 }])
  for (const { version, rest } of deleted) await relinkDependents(call, version.id, rest.dependents, skipped)
  return skipped
}
