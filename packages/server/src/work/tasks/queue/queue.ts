import type { Sql } from '../../../db/port.js'
import { readyTopic } from '../../../db/topics.js'
import type { Call } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import { type Priority, priorities } from '../fields.js'
import { notifyOfExhausted } from '../notices.js'
import { findReferenced } from '../reference-store.js'
import { findOverlaps, park } from '../resources/store.js'
import type { StoredTask } from '../store.js'
import * as store from '../store.js'
import { findAncestors, linkedTo } from '../structure/link-store.js'
import { findAttempted, findNodes } from '../structure/node-store.js'
import * as claims from './claim-store.js'
import { createMaxAttempts } from './max-attempts.js'
import { isClosed, isExhausted, isReady, urgencyOf } from './ready.js'
import { dequeue, enqueue, findBest, maxCandidates } from './ready-store.js'
import { countUnready as countUnreadyTasks, type UnreadyCount } from './unready-store.js'

export { maxUnreadyLookedAt, type UnreadyReason } from './unready-store.js'

/** What a caller may be handed. */
export interface NextFilter {
  projectIds: readonly string[] | null
  labels: readonly string[] | null
  priorities: readonly Priority[] | null
  parentId: string | null
}

export const findTaskById = (call: Call, id: string): Promise<StoredTask | undefined> =>
  store.findTask(call.db, call.actor.tenantId, id)

/** Those of ready tasks that wait for no resource, in their order. The others leave the queue until it is free. */
const parkWaiting = async ({ db, actor }: Call, ids: readonly string[]): Promise<string[]> => {
  const waiting = new Set<string>()
  const waitingFor = new Map<string, string[]>()
  for (const { taskId, holderId } of await findOverlaps(db, actor.tenantId, ids)) {
    if (waiting.has(taskId)) continue
    waiting.add(taskId)
    waitingFor.set(holderId, [...(waitingFor.get(holderId) ?? []), taskId])
  }
  await db.runAll([...waitingFor].map(([holderId, taskIds]) => park(db, actor.tenantId, taskIds, holderId)))
  return ids.filter((id) => !waiting.has(id))
}

/** The best ready task that the actor may be handed. */
export const findNext = async (call: Call, filter: NextFilter): Promise<StoredTask | undefined> => {
  const { actor, db } = call
  const wanted = {
    projectIds: filter.projectIds ?? actor.projectIds,
    labels: filter.labels,
    urgencies: filter.priorities?.map((name) => urgencyOf(priorities.indexOf(name))) ?? null,
    userId: actor.userId,
    parentId: filter.parentId,
  }
  const [best] = await findBest(db, actor.tenantId, wanted, 1)
  const task = best === undefined ? undefined : await findTaskById(call, best)
  if (!task || task.doc.resources.length === 0) return task
  for (let ids = [task.doc.id]; ids.length > 0; ids = await findBest(db, actor.tenantId, wanted, maxCandidates)) {
    const [free] = await parkWaiting(call, ids)
    if (free !== undefined) return free === task.doc.id ? task : findTaskById(call, free)
  }
  return undefined
}

/** Why open tasks that match are not handed out to the actor. */
export const countUnready = ({ db, actor, clock }: Call, filter: NextFilter): Promise<UnreadyCount[]> =>
  countUnreadyTasks(db, actor.tenantId, {
    projectIds: filter.projectIds ?? actor.projectIds,
    labels: filter.labels,
    priorities: filter.priorities?.map((name) => priorities.indexOf(name)) ?? null,
    parentId: filter.parentId,
    keyId: actor.keyId,
    userId: actor.userId,
    nowMs: clock(),
  })

const findAll = (call: Call, ids: readonly string[]): Promise<StoredTask[]> =>
  store.findTasks(call.db, call.actor.tenantId, ids)

export const tasksClaimedBy = async (call: Call, keyId: string): Promise<StoredTask[]> =>
  findAll(call, await claims.taskIdsClaimedBy(call.db, call.actor.tenantId, keyId))

/** Tasks whose claim has run out, and the ids of those whose time to be queued has come. */
export const dueTasks = async (call: Call, count: number): Promise<{ lapsed: StoredTask[]; waking: string[] }> => {
  const { lapsed, waking } = await claims.dueTaskIds(call.db, call.actor.tenantId, call.clock(), count)
  return { lapsed: await findAll(call, lapsed), waking }
}

/** Queues tasks that had to wait for their time, if nothing else holds them back. */
export const wake = async (call: Call, taskIds: readonly string[]): Promise<void> => {
  if (taskIds.length === 0) return
  const { db, actor } = call
  const maxAttempts = createMaxAttempts(call)
  const ready = []
  for (const node of await findNodes(db, actor.tenantId, taskIds)) {
    const max = node.attempts === 0 ? 1 : await maxAttempts(node.queued.projectId)
    if (isReady({ ...node, wakeAtMs: null }, max)) ready.push(node.queued)
  }
  await db.runAll([claims.clearWakeUp(actor.tenantId, taskIds, db), ...enqueue(db, actor.tenantId, ready)])
  if (ready.length > 0) db.announce(readyTopic(actor.tenantId))
}

/** Tasks whose users are told together. */
const toldPerTurn = 500

/** Queues or dequeues the tasks of a project for which another limit of attempts makes a difference. */
export const requeueAttempted = async (
  call: Call,
  projectId: string,
  maxBefore: number,
  maxAfter: number,
): Promise<void> => {
  const { db, actor } = call
  const range = [Math.min(maxBefore, maxAfter), Math.max(maxBefore, maxAfter)] as const
  const attempted = await findAttempted(db, actor.tenantId, projectId, range)
  const ready = attempted.filter((node) => isReady(node, range[1]))
  const tasks = ready.map(({ queued }) => queued)
  const ids = tasks.map(({ taskId }) => taskId)
  await db.runAll(maxAfter > maxBefore ? enqueue(db, actor.tenantId, tasks) : dequeue(db, actor.tenantId, ids))
  if (maxAfter > maxBefore && tasks.length > 0) db.announce(readyTopic(actor.tenantId))
  const exhausted = attempted.filter((node) => isExhausted(node, maxAfter)).map(({ id }) => id)
  await inTurns(exhausted, toldPerTurn, async (some) => notifyOfExhausted(call, await findAll(call, some)))
}

/** The open tasks that a task waits for: its own blockers and those of its ancestors. */
export const openBlockersOf = async (call: Call, { doc, counts }: StoredTask): Promise<string[]> => {
  if (counts.openBlockers === 0 && counts.blockedAncestors === 0) return []
  const { db, actor } = call
  const ancestors = await findAncestors(db, actor.tenantId, doc.id)
  const links = await linkedTo(db, actor.tenantId, 'blocker', [doc.id, ...ancestors])
  const blockers = await findReferenced(
    db,
    actor.tenantId,
    links.map(({ otherId }) => otherId),
  )
  return blockers.filter(({ status }) => !isClosed(status as Category)).map(({ id }) => id)
}

/** When the next claim of a tenant ends, or the next task is to be queued. */
export const nextDueMs = (db: Sql, tenantId: string): Promise<number | null> => claims.nextDueMs(db, tenantId)

/** Of all tenants: for the service's own rounds. */
export const tenantsWithDueTasks = (db: Sql, nowMs: number, count: number): Promise<string[]> =>
  claims.tenantsWithDueTasks(db, nowMs, count)

/** All tasks that show a claim, live or not. */
export const claimedTasks = async (call: Call): Promise<StoredTask[]> =>
  findAll(call, await claims.claimedTaskIds(call.db, call.actor.tenantId))

export const raiseClaimNumbers = (db: Sql, tenantId: string, step: number): Promise<void> =>
  claims.raiseClaimNumbers(db, tenantId, step)
