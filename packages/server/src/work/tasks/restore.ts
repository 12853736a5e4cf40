import { isoTime } from '../../base/clock.js'
import { isRefusal } from '../../base/errors.js'
import { recordAll } from '../../changelog/record.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import type { Statement } from '../../db/port.js'
import { readyTopic } from '../../db/topics.js'
import type { Call } from '../../operations/call.js'
import { isOverBudget } from '../../scheduling/work-budget.js'
import { firstOf, statusIn } from '../../tenancy/projects/statuses.js'
import { findUser } from '../../tenancy/users/service.js'
import { noWork } from './checks/rules.js'
import { noClaims } from './claims/rules.js'
import { commentsLeftOf } from './comments/service.js'
import { maxBlockers } from './fields.js'
import { countOpen as countOpenQuestions } from './questions/store.js'
import { isClosed, isReady, queuedTask, readinessOf } from './queue/ready.js'
import { enqueue } from './queue/ready-store.js'
import { firstRankOf } from './rank/store.js'
import { findByExternalId, findReferenced } from './reference-store.js'
import { checkParent, countDependents, maxDependents } from './references.js'
import type { TaskVersion } from './schema.js'
import { queueStaleChecks } from './stale.js'
import { createStatuses } from './statuses/service.js'
import type { StoredTask } from './store.js'
import * as store from './store.js'
import { findForbiddenDependents, refuseCycle } from './structure/cycle.js'
import { findAncestors, insertLinks, type Link } from './structure/link-store.js'
import { countChildren, countOpenBlockers, findNodes, updateCounts } from './structure/node-store.js'
import { propagate } from './structure/propagate.js'
import {
  appearanceOf,
  noteDueTasks,
  restoredChangeOf,
  type TaskChange,
  type TaskRest,
  wakeUpOf,
  writeTasks,
} from './write.js'

export type { StoredTask } from './store.js'

/** A task as it was deleted. */
export interface DeletedTask {
  version: TaskVersion
  rest: TaskRest
}

/** What kept a link from being made again. */
const skipReason = (error: unknown): SkippedLink['reason'] => {
  if (!isRefusal(error) || isOverBudget(error)) throw error
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

/** Tasks of a project that comes back, after one of them. */
export const tasksAfter = (call: Call, projectId: string, after: string, count: number): Promise<StoredTask[]> =>
  store.findProjectTasksAfter(call.db, call.actor.tenantId, projectId, after || undefined, count)

/** Which of the tasks that these are linked to are in a project, also in one that is hidden. */
export const linkedInside = async (
  { db, actor }: Call,
  tasks: readonly StoredTask[],
  projectId: string,
): Promise<ReadonlySet<string>> => {
  const ids = tasks.flatMap(({ doc: { blockedBy, parentId } }) => [
    ...blockedBy,
    ...(parentId === null ? [] : [parentId]),
  ])
  const nodes = await findNodes(db, actor.tenantId, [...new Set(ids)])
  return new Set(nodes.filter(({ queued }) => queued.projectId === projectId).map(({ id }) => id))
}

/** Puts deleted tasks back, as their next versions; their links and whatever is counted follow. */
export const insertDeleted = async (
  call: Call,
  deleted: readonly DeletedTask[],
  skipped: SkippedLink[],
): Promise<StoredTask[]> => {
  const { db, actor, clock } = call
  const updatedAt = isoTime(clock())
  const inserted: StoredTask[] = []
  const statusesNow = createStatuses(call)
  for (const { version, rest } of deleted) {
    const { assignee: was, ...fields } = version
    const assignee = await livingAssignee(call, fields.id, was, skipped)
    const statuses = await statusesNow(fields.projectId)
    const task: StoredTask = {
      doc: {
        ...fields,
        // Its claim has ended with it.
        ...(rest.isClaimed && fields.statusCategory === 'in_progress'
          ? firstOf(statuses, 'todo')
          : statusIn(statuses, fields)),
        externalId: await freeExternalId(call, fields, skipped),
        version: fields.version + 1,
        updatedAt,
      },
      assignee,
      assigneeId: assignee?.id ?? null,
      claims: { ...noClaims, number: rest.claimNumber },
      counts: store.noCounts,
      work: rest.work ?? noWork,
      statuses,
      stale: null,
      wakeAtMs: null,
      number: rest.number ?? store.numberOf(fields.id),
      rank: rest.rank ?? firstRankOf(Date.parse(fields.createdAt)),
    }
    await db.runAll(store.insertTask(db, actor.tenantId, task))
    inserted.push(task)
  }
  await queueStaleChecks(
    call,
    inserted.map(({ doc }) => doc.id),
  )
  return inserted
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
  { id: taskId, statusCategory }: Pick<TaskVersion, 'id' | 'statusCategory'>,
  wanted: readonly string[],
  skipped: SkippedLink[],
  parentId: string | null = null,
): Promise<string[]> => {
  const { db, actor } = call
  const found = new Set((await findReferenced(db, actor.tenantId, wanted)).map(({ id }) => id))
  const dependents = await countDependents(call, wanted)
  const refuse = (blockerIds: readonly string[]) =>
    refuseCycle(call, { taskId, isOpen: !isClosed(statusCategory), blockerIds, parentId })
  const skip = (value: string, reason: SkippedLink['reason']): void =>
    void skipped.push({ task: taskId, field: 'blockedBy', value, reason })
  const candidates: string[] = []
  for (const value of wanted) {
    if (!found.has(value)) skip(value, 'not found')
    else if (dependents.get(value)! >= maxDependents) skip(value, 'too many')
    else candidates.push(value)
  }
  const refusal = await refuse(candidates).catch((error) => skipReason(error))
  if (!refusal) return candidates
  const possible: string[] = []
  for (const value of candidates) {
    const reason = await refuse([value]).catch((error) => skipReason(error))
    if (reason) skip(value, reason)
    else possible.push(value)
  }
  return possible
}

/** The parent of a task, if it can be that still. */
export const possibleParent = async (
  call: Call,
  { id, projectId, parentId, statusCategory }: Pick<TaskVersion, 'id' | 'projectId' | 'parentId' | 'statusCategory'>,
  skipped: SkippedLink[],
): Promise<string | null> => {
  if (parentId === null) return null
  try {
    await checkParent(call, { taskId: id, projectId, parentId })
    await refuseCycle(call, { taskId: id, isOpen: !isClosed(statusCategory), blockerIds: [], parentId })
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
    await db.runAll(store.updateTask(db, actor.tenantId, task, after))
  }
}

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
    ...store.setCommentCounts(tenantId, await commentsLeftOf(call, ids)),
    ...store.setQuestionCounts(tenantId, await countOpenQuestions(db, tenantId, ids)),
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
    if (!isSame) changes.push(...store.updateTask(db, tenantId, task, after))
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

/**
 * Brings tasks that were deleted together back, with the links that they had. `back` are those of them that came back
 * before and are as they were.
 */
export const restoreTasks = async (
  call: Call,
  deleted: readonly DeletedTask[],
  maxAttempts: number,
  undoes: (taskId: string) => string | undefined,
  back: ReadonlySet<string> = new Set(),
): Promise<SkippedLink[]> => {
  const { db, actor } = call
  const skipped: SkippedLink[] = []
  const ids = deleted.map(({ version }) => version.id)
  const inside = new Set(ids)
  const isInside = (id: string): boolean => inside.has(id) || back.has(id)
  call.work?.expect('change', deleted.length)
  const inserted = await insertDeleted(call, deleted, skipped)
  await linkInside(call, inserted, isInside)
  await linkOutside(call, inserted, isInside, skipped)
  await countAgain(call, ids)
  const tasks = await store.findTasks(db, actor.tenantId, ids)
  await settle(call, tasks, maxAttempts, undoes)
  const ofOthers = tasks.filter(({ doc: { parentId } }) => parentId !== null && !inside.has(parentId))
  await propagate(
    call,
    ofOthers.map((task) => ({ before: null, after: appearanceOf(task), ancestorsStep: 0 })),
  )
  for (const { version, rest } of deleted) await relinkDependents(call, version.id, rest.dependents, skipped)
  return skipped
}
