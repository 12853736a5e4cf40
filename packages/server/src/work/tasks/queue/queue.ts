import { isListed } from '../../../base/project-set.js'
import type { Sql } from '../../../db/port.js'
import { readyTopic } from '../../../db/topics.js'
import { writableProjects } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { parsePaused } from '../../../tenancy/pauses/schema.js'
import { createMaxAttempts, listIfSomeStopped, pausedAmong } from '../../../tenancy/projects/service.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import { type Priority, priorities } from '../fields.js'
import { notifyOfExhausted } from '../notices.js'
import { findReferenced } from '../reference-store.js'
import { park } from '../resources/store.js'
import * as store from '../store.js'
import type { StoredTask } from '../stored-task.js'
import { findAncestors, linkedTo } from '../structure/link-store.js'
import { findAttempted, findNodes } from '../structure/node-store.js'
import * as claims from './claim-store.js'
import { isExhausted, isReady } from './readiness-store.js'
import { isClosed, urgencyOf } from './ready.js'
import {
  type Candidate,
  candidateCounts,
  dequeue,
  enqueue,
  findBestAmong,
  findFirst,
  inOrder,
  maxCandidates,
  maxRangesPerSearch,
  type ReadyFilter,
  type ReadyRange,
  rangesOf,
} from './ready-store.js'
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

const readyFilterOf = async (call: Call, filter: NextFilter): Promise<ReadyFilter> => ({
  // A search of all projects would also scan every task of paused and deleted projects.
  projectIds: filter.projectIds ?? (await listIfSomeStopped(call, writableProjects(call.actor))),
  labels: filter.labels,
  urgencies: filter.priorities?.map((name) => urgencyOf(priorities.indexOf(name))) ?? null,
  userId: call.actor.userId,
  parentId: filter.parentId,
})

/** Whether a ready task matches, or may match after due claims and wake-ups are settled. */
export const canFindNext = async (call: Call, filter: NextFilter): Promise<boolean> => {
  const { actor, db, clock } = call
  const dueMs = await nextDueMs(db, actor.tenantId)
  if (dueMs !== null && dueMs <= clock()) return true
  const wanted = await readyFilterOf(call, filter)
  if (wanted.parentId !== null) return (await findBestAmong(db, actor.tenantId, wanted, [], 1)).length > 0
  const found = await searchRanges(call, wanted, rangesOf(wanted), 1)
  return found.some(({ candidates }) => candidates.length > 0)
}

/** How many candidates are found outside the transaction that claims one of them. */
const maxFoundBefore = 20

/**
 * Returns the best ready tasks if searching for them under the write lock would take several statements; otherwise
 * none. `findNext` checks them again.
 */
export const findBefore = async (call: Call, filter: NextFilter): Promise<string[]> => {
  const wanted = await readyFilterOf(call, filter)
  const ranges = wanted.parentId === null ? rangesOf(wanted) : []
  if (ranges.length <= maxRangesPerSearch) return []
  const found = await searchRanges(call, wanted, ranges, 1)
  const best = found.flatMap(({ candidates }) => candidates).sort(inOrder)
  // A range whose first task waits for a resource may contain a better task than the first of another range.
  const waitingAt = best.findIndex(({ holderId }) => holderId !== null)
  const free = waitingAt < 0 ? best : best.slice(0, waitingAt)
  return free.slice(0, maxFoundBefore).map(({ taskId }) => taskId)
}

interface SearchedRange {
  range: ReadyRange
  candidates: Candidate[]
}

/** Searches ranges in bounded statements. */
const searchRanges = async (
  { db, actor }: Call,
  { projectIds }: ReadyFilter,
  ranges: readonly ReadyRange[],
  count: (typeof candidateCounts)[number],
): Promise<SearchedRange[]> => {
  const searched: SearchedRange[] = []
  const perSearch = Math.max(1, Math.floor(maxRangesPerSearch / count))
  await inTurns(ranges, perSearch, async (some) => {
    const found = await findFirst(db, actor.tenantId, projectIds, some, count)
    searched.push(...some.map((range, at) => ({ range, candidates: found[at]! })))
  })
  return searched
}

/** Removes candidates that wait for a resource from the queue until it is free, and returns the others. */
const parkWaiting = async ({ db, actor }: Call, candidates: readonly Candidate[]): Promise<Candidate[]> => {
  const waitingFor = new Map<string, string[]>()
  for (const { taskId, holderId } of candidates) {
    if (holderId !== null) waitingFor.set(holderId, [...(waitingFor.get(holderId) ?? []), taskId])
  }
  await db.runAll([...waitingFor].map(([holderId, taskIds]) => park(db, actor.tenantId, taskIds, holderId)))
  return candidates.filter(({ holderId }) => holderId === null)
}

/** Returns the best free task among the given ones. */
const bestAmong = async (
  call: Call,
  wanted: ReadyFilter,
  taskIds: readonly string[],
): Promise<Candidate | undefined> => {
  for (;;) {
    const candidates = await findBestAmong(call.db, call.actor.tenantId, wanted, taskIds, maxCandidates)
    const [best] = await parkWaiting(call, candidates)
    if (best || candidates.length < maxCandidates) return best
  }
}

/** Returns the best free task of the whole queue. A range is searched again only while a better task may follow in it. */
const bestOfRanges = async (call: Call, wanted: ReadyFilter): Promise<Candidate | undefined> => {
  let best: Candidate | undefined
  let ranges = rangesOf(wanted)
  for (let looks = 0; ranges.length > 0; looks++) {
    const count = candidateCounts[looks] ?? maxCandidates
    const searched = await searchRanges(call, wanted, ranges, count)
    const free = await parkWaiting(
      call,
      searched.flatMap(({ candidates }) => candidates),
    )
    best = [...free, ...(best ? [best] : [])].sort(inOrder)[0]
    const mayFollow = ({ candidates }: SearchedRange): boolean =>
      candidates.length === count &&
      candidates.every(({ holderId }) => holderId !== null) &&
      (!best || inOrder(candidates.at(-1)!, best) < 0)
    ranges = searched.filter(mayFollow).map(({ range }) => range)
  }
  return best
}

/**
 * Returns the best ready task that the actor may claim: one of `foundBefore` that is still ready, or the best of the
 * queue. Tasks that wait for a resource leave the queue until it is free.
 */
export const findNext = async (
  call: Call,
  filter: NextFilter,
  foundBefore: readonly string[] = [],
): Promise<StoredTask | undefined> => {
  const wanted = await readyFilterOf(call, filter)
  const isOfFew = wanted.parentId !== null || foundBefore.length > 0
  const ofFew = isOfFew ? await bestAmong(call, wanted, foundBefore) : undefined
  const best = ofFew ?? (wanted.parentId === null ? await bestOfRanges(call, wanted) : undefined)
  return best && findTaskById(call, best.taskId)
}

/** The paused project that keeps the actor from being handed anything, where all that are asked for are paused. */
export const findPausedProject = async (call: Call, filter: NextFilter) => {
  const wanted = filter.projectIds ?? writableProjects(call.actor)
  if (!isListed(wanted)) return undefined
  const paused = await pausedAmong(call, wanted)
  return paused.length === new Set(wanted).size ? paused[0] : undefined
}

/** The project of a task, where it is paused. */
export const findPausedProjectOf = async ({ db, actor }: Call, taskId: string) => {
  const found = await store.findPausedProject(db, actor.tenantId, taskId)
  return found && { ...found, paused: parsePaused(found.paused) }
}

/** Why open tasks that match are not handed out to the actor. */
export const countUnready = ({ db, actor, clock }: Call, filter: NextFilter): Promise<UnreadyCount[]> =>
  countUnreadyTasks(db, actor.tenantId, {
    projectIds: filter.projectIds ?? writableProjects(actor),
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
export const nextDueMs = async (db: Sql, tenantId: string): Promise<number | null> => claims.nextDueMs(db, tenantId)

/** All tasks that show a claim, live or not. */
export const claimedTasks = async (call: Call): Promise<StoredTask[]> =>
  findAll(call, await claims.claimedTaskIds(call.db, call.actor.tenantId))

export const raiseClaimNumbers = (db: Sql, tenantId: string, step: number): Promise<void> =>
  claims.raiseClaimNumbers(db, tenantId, step)
