import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { utf8Length } from '../../base/text.js'
import { noteDue } from '../../changelog/due-work/note.js'
import { maxEventDataLength, type RecordedChange, record, recordAll } from '../../changelog/record.js'
import { type KeptVersion, type RecordEventType, recordName } from '../../changelog/versions/version.js'
import type { Write } from '../../db/port.js'
import { readyTopic } from '../../db/topics.js'
import type { Call } from '../../operations/call.js'
import { inTurns } from '../../scheduling/in-turns.js'
import { createMaxAttempts } from '../../tenancy/projects/service.js'
import { marksOfProject } from '../fields/stale-marks.js'
import type { WorkRecord } from './checks/rules.js'
import { settleChecks, withDefaultChecks } from './checks/settle.js'
import { noteEndedClaim } from './claims/ended-store.js'
import type { ClaimedRest } from './kept-version.js'
import { notifyOfExhausted, notifyOfTask } from './notices.js'
import { withdrawOpenQuestions } from './questions/write.js'
import { updateClaims } from './queue/claim-store.js'
import { isClosed, isExhausted, isReady, queuedTask, readinessOf } from './queue/ready.js'
import { dequeue, enqueue, type QueuedTask } from './queue/ready-store.js'
import { findByExternalId } from './reference-store.js'
import { checkBlockers, checkParent } from './references.js'
import { freesResources } from './resources/store.js'
import type { Task } from './schema.js'
import type { StoredDoc, StoredTask } from './store.js'
import * as store from './store.js'
import { refuseCycle } from './structure/cycle.js'
import { deleteBlockerLinks, deleteLinks, findDependents, insertLinks, type Link } from './structure/link-store.js'
import { findNodes } from './structure/node-store.js'
import { type Appearance, propagate, type SeenChange, touchesOthers } from './structure/propagate.js'

type ChangeType = Exclude<Extract<RecordEventType, `task.${string}`>, 'task.deleted'>

const withoutTexts = (json: Json<Task>): string =>
  JSON.stringify({ ...JSON.parse(json), description: undefined, result: undefined, checks: undefined, truncated: true })

const eventData = (json: Json<Task>): string => (json.length <= maxEventDataLength ? json : withoutTexts(json))

export const storedBytesOfTask = ({ doc }: StoredTask): number => utf8Length(store.storedDoc(doc))

const shownInEvents = (task: StoredTask): StoredTask =>
  task.stale === null ? task : { ...task, stale: marksOfProject(task.stale, task.doc.projectId) }

const loggedFields = (task: StoredTask, growthBytes: number, previous?: Partial<Task>, stored?: StoredDoc) => ({
  growthBytes,
  subject: task.doc.id,
  projectId: task.doc.projectId,
  data: eventData(store.taskJsonOf(shownInEvents(task), stored)),
  ...(previous && { previous: eventData(JSON.stringify(previous)) }),
})

/** The task as it was, null where it is new, and as it is written. */
interface WrittenTask {
  before: StoredTask | null
  after: StoredTask
  stored: StoredDoc
}

interface ChangeEvent {
  type: ChangeType
  previous?: Partial<Task>
}

const withChecks = (event: ChangeEvent, before: StoredTask | null): ChangeEvent =>
  before ? { ...event, previous: { ...event.previous, checks: before.doc.checks } } : event

const claimedRestOf = ({ claims }: StoredTask): ClaimedRest => ({
  isClaimed: claims.current !== null,
  claimNumber: claims.number,
})

const changeOf = ({ before, after, stored }: WrittenTask, { type, previous }: ChangeEvent): RecordedChange => {
  const storedBefore = before ? store.storedDoc(before.doc) : undefined
  const growthBytes = utf8Length(stored) - utf8Length(storedBefore ?? '')
  return {
    type,
    ...loggedFields(after, growthBytes, previous, stored),
    kept: {
      record: recordName.task(after.doc.id),
      version: after.doc.version,
      beforeVersion: before?.doc.version ?? null,
      before: before && store.versionJsonOf(before, storedBefore),
      ...(before?.claims.current && { rest: JSON.stringify(claimedRestOf(before)) }),
    },
  }
}

/** The change of a task that came back. */
export const restoredChangeOf = (task: StoredTask, undoes: string | undefined): RecordedChange => ({
  type: 'task.restored',
  ...loggedFields(task, storedBytesOfTask(task)),
  ...(undoes !== undefined && { undoes }),
  kept: { record: recordName.task(task.doc.id), version: task.doc.version, beforeVersion: null, before: null },
})

/** What a deleted task needs to come back besides its fields. */
export interface TaskRest extends ClaimedRest {
  /** The tasks that waited for it, those apart that were deleted with it. */
  dependents: string[]
  /** Missing where it was deleted before tasks had checks. */
  work?: WorkRecord
  /** Missing where it is the number of its id. */
  number?: number
  /** Missing where it was deleted before tasks had one. */
  rank?: number
}

/** A task that is being deleted, as the history keeps it. */
export const deletedVersionOf = (task: StoredTask, dependents: readonly string[] = []): KeptVersion => {
  const rest: TaskRest = {
    ...claimedRestOf(task),
    dependents: [...dependents],
    work: task.work,
    rank: task.rank,
    ...(task.number !== store.numberOf(task.doc.id) && { number: task.number }),
  }
  return {
    type: 'task.deleted',
    record: recordName.task(task.doc.id),
    projectId: task.doc.projectId,
    version: task.doc.version,
    beforeVersion: task.doc.version,
    before: store.versionJsonOf(task),
    rest: JSON.stringify(rest),
  }
}

/** More would keep the event loop from everything else for too long. */
const tasksPerTurn = 100

/** The tasks as they stand, for whoever hears that nothing blocks them any longer. */
const recordUnblocked = async (call: Call, taskIds: readonly string[]): Promise<void> => {
  call.work?.expect('change', taskIds.length)
  await inTurns(taskIds, tasksPerTurn, async (some) => {
    const tasks = await store.findTasks(call.db, call.actor.tenantId, some)
    const open = tasks.filter(({ doc }) => !isClosed(doc.statusCategory))
    await recordAll(
      call,
      open.map((task) => ({ type: 'task.unblocked' as const, ...loggedFields(task, 0) })),
    )
  })
}

export const appearanceOf = ({ doc, counts }: StoredTask): Appearance => ({
  id: doc.id,
  isOpen: !isClosed(doc.statusCategory),
  parentId: doc.parentId,
  hasOpenBlockers: counts.openBlockers > 0,
  hasChildren: counts.totalChildren > 0,
  hasDependents: counts.hasDependents,
})

const blockerLink =
  (taskId: string) =>
  (otherId: string): Link => ({ taskId, kind: 'blocker', otherId })

const parentLinks = (taskId: string, parentId: string | null): Link[] =>
  parentId === null
    ? []
    : [
        { taskId, kind: 'parent', otherId: parentId },
        { taskId: parentId, kind: 'child', otherId: taskId },
      ]

/** Checks and writes the links of a task that differ from those before; answers the counts that follow from them. */
const relink = async (
  call: Call,
  before: StoredTask | null,
  after: StoredTask,
): Promise<Pick<store.TaskCounts, 'openBlockers' | 'blockedAncestors'>> => {
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
  const open = areBlockersChanged ? await checkBlockers(call, id, blockedBy, wasBlockedBy) : openBlockers
  let blocked = blockedAncestors
  if (wasParent !== parentId) {
    await db.runAll(deleteLinks(actor.tenantId, parentLinks(id, wasParent)))
    blocked = parentId === null ? 0 : await checkParent(call, { taskId: id, projectId, parentId })
  }
  await db.runAll(deleteLinks(actor.tenantId, removed.map(blockerLink(id))))
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
  await db.runAll(insertLinks(db, actor.tenantId, [...added.map(blockerLink(id)), ...parentLinks(id, newParentId)]))
  return { openBlockers: open, blockedAncestors: blocked }
}

interface Requeueing {
  statements: Write[]
  /** Those that have used up their attempts, and had not before. */
  exhausted: StoredTask[]
}

/** What a ready task is queued by. One that was found to wait for a resource is looked at again if it needs others. */
const queueKeyOf = (task: StoredTask): string => JSON.stringify([queuedTask(task), task.doc.resources])

/** Puts tasks into the queue of those that are ready, or takes them out of it. */
const requeue = async (call: Call, tasks: readonly Omit<WrittenTask, 'stored'>[]): Promise<Requeueing> => {
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
    if (before && freesResources(store.resourcefulTask(before), store.resourcefulTask(after))) isForOthers = true
    if (before && before.doc.parentId !== after.doc.parentId) isForOthers = true
    const isSame = was && is && queueKeyOf(before) === queueKeyOf(after)
    if (isSame) continue
    if (was) leaving.push(before.doc.id)
    if (is) entering.push(queuedTask(after))
  }
  if (entering.length > 0 || isForOthers) db.announce(readyTopic(actor.tenantId))
  return { statements: [...dequeue(db, actor.tenantId, leaving), ...enqueue(db, actor.tenantId, entering)], exhausted }
}

export const refuseTakenExternalId = async (
  call: Call,
  before: StoredTask | null,
  { doc }: StoredTask,
): Promise<void> => {
  const { externalId, projectId, id } = doc
  if (externalId === null || before?.doc.externalId === externalId) return
  const existing = await findByExternalId(call.db, call.actor.tenantId, projectId, externalId)
  if (existing === undefined || existing === id) return
  throw new AppError('CONFLICT', `${existing} already has the externalId "${externalId}". Update that task instead.`, {
    existing,
  })
}

/** Where a task must not be begun yet, the time to queue it. */
export const wakeUpOf = ({ doc }: StoredTask, nowMs: number): number | null => {
  const notBeforeMs = doc.notBefore === null ? null : Date.parse(doc.notBefore)
  return notBeforeMs !== null && notBeforeMs > nowMs ? notBeforeMs : null
}

const rowStatements = ({ db, actor }: Call, { before, after, stored }: WrittenTask): Write[] =>
  before
    ? store.updateTask(db, actor.tenantId, before, after, stored)
    : store.insertTask(db, actor.tenantId, after, stored)

/** Has the service look at tasks when their claims end or their time to be queued comes. */
export const noteDueTasks = ({ db, actor, clock }: Call, tasks: readonly StoredTask[]): Write[] => {
  const times = tasks.flatMap(({ claims, wakeAtMs }) => [
    ...(claims.current ? [Date.parse(claims.current.expiresAt)] : []),
    ...(wakeAtMs === null ? [] : [wakeAtMs]),
  ])
  if (times.length === 0) return []
  return noteDue(db, { tenantId: actor.tenantId, kind: 'tasks', dueAtMs: Math.min(...times) }, clock())
}

/**
 * Writes a task that was created (`before` is null) or changed, with everything that follows from it: its links and
 * its place in the queue, the counts of other tasks, and the events. A status of another category than in_progress ends the claim; a
 * task that is closed has no open questions.
 */
export const writeTask = async (
  call: Call,
  before: StoredTask | null,
  wanted: StoredTask,
  event: ChangeEvent,
): Promise<StoredTask> => {
  const checked = settleChecks(call, before, await withDefaultChecks(call, before, wanted))
  await refuseTakenExternalId(call, before, checked)
  const hasMootQuestions = isClosed(checked.doc.statusCategory) && checked.counts.openQuestions > 0
  const openQuestions = hasMootQuestions ? 0 : checked.counts.openQuestions
  const counts = { ...checked.counts, ...(await relink(call, before, checked)), openQuestions }
  const after: StoredTask = { ...checked, counts, wakeAtMs: wakeUpOf(checked, call.clock()) }
  const written: WrittenTask = { before, after, stored: store.storedDoc(after.doc) }
  const told = checked.doc.checks === wanted.doc.checks ? event : withChecks(event, before)
  const requeueing = await requeue(call, [written])
  const ended = noteEndedClaim(call.actor, call.clock(), before, after, event.type)
  const statements = [
    ...rowStatements(call, written),
    ...noteDueTasks(call, [after]),
    ...requeueing.statements,
    ...ended,
  ]
  const [seen] = seenChanges([written])
  if (!seen || !touchesOthers(seen)) {
    await record(call, changeOf(written, told), statements)
  } else {
    await call.db.runAll(statements)
    const unblocked = await propagate(call, [seen])
    await record(call, changeOf(written, told))
    await recordUnblocked(call, unblocked)
  }
  if (before && before.stale !== after.stale) await writeStale(call, after)
  if (hasMootQuestions) await withdrawOpenQuestions(call, after.doc)
  await notifyOfTask(call, written)
  await notifyOfExhausted(call, requeueing.exhausted)
  return after
}

/** Whether others see a difference. */
const isSeen = ({ before, after, ancestorsStep }: SeenChange): boolean => {
  if (!before) return after !== null && after.parentId !== null
  return !after || ancestorsStep !== 0 || JSON.stringify(before) !== JSON.stringify(after)
}

/** What others see of changes of tasks. */
const seenChanges = (tasks: readonly Omit<WrittenTask, 'stored'>[]): SeenChange[] =>
  tasks
    .map(({ before, after }) => ({
      before: before && appearanceOf(before),
      after: appearanceOf(after),
      ancestorsStep: after.counts.blockedAncestors - (before?.counts.blockedAncestors ?? 0),
    }))
    .filter(isSeen)

/** A change of a task whose links are written, and by which it stays as open as it was. */
export interface TaskChange {
  before: StoredTask
  after: StoredTask
  event: ChangeEvent
}

const writeSome = async (call: Call, changes: readonly TaskChange[]): Promise<void> => {
  const written = changes.map(({ before, after }) => ({ before, after, stored: store.storedDoc(after.doc) }))
  const rows = written.flatMap((task) => rowStatements(call, task))
  const { statements, exhausted } = await requeue(call, written)
  const nowMs = call.clock()
  const ended = changes.flatMap(({ before, after, event }) =>
    noteEndedClaim(call.actor, nowMs, before, after, event.type),
  )
  const due = noteDueTasks(
    call,
    written.map(({ after }) => after),
  )
  await call.db.runAll([...rows, ...due, ...statements, ...ended])
  await recordAll(
    call,
    written.map((task, at) => changeOf(task, changes[at]!.event)),
  )
  await notifyOfExhausted(call, exhausted)
}

/** Writes many changes as one step: the statements of many tasks go together. */
export const writeTasks = async (call: Call, changes: readonly TaskChange[]): Promise<void> => {
  const nowMs = call.clock()
  const written = changes.map((change) => ({
    ...change,
    after: { ...change.after, wakeAtMs: wakeUpOf(change.after, nowMs) },
  }))
  await inTurns(written, tasksPerTurn, (some) => writeSome(call, some))
  // Last, since one of them may be below another.
  const seen = seenChanges(written)
  if (seen.length > 0) await propagate(call, seen)
}

/**
 * Takes tasks from those that wait for them, each a change of its own; those of one project may go with them. Answers
 * who waited for which.
 */
export const releaseDependents = async (
  call: Call,
  taskIds: readonly string[],
  projectId?: string,
): Promise<ReadonlyMap<string, string[]>> => {
  const { db, actor, clock } = call
  const going = new Set(taskIds)
  const released = new Map<string, string[]>(taskIds.map((id) => [id, []]))
  const ids = (await findDependents(db, actor.tenantId, taskIds)).filter((id) => !going.has(id))
  call.work?.expect('change', ids.length)
  const found = await store.findTasks(db, actor.tenantId, ids)
  const dependents = found.filter(({ doc }) => doc.projectId !== projectId)
  if (dependents.length === 0) return released
  // Also of those that nobody sees any longer, as in a project that is being deleted.
  const blockers = await findNodes(db, actor.tenantId, taskIds)
  const open = new Set(blockers.filter(({ statusCategory }) => !isClosed(statusCategory)).map(({ id }) => id))
  await db.runAll([deleteBlockerLinks(db, actor.tenantId, taskIds)])
  const updatedAt = isoTime(clock())
  const changes = dependents.map((before): TaskChange => {
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
  for (const { doc } of dependents) for (const other of doc.blockedBy) released.get(other)?.push(doc.id)
  return released
}

/** Removes a task and all below it, the last of the tasks being the one at their top. */
export const removeTasks = async (call: Call, tasks: readonly StoredTask[]): Promise<void> => {
  const { db, actor } = call
  const ids = tasks.map(({ doc }) => doc.id)
  const released = await releaseDependents(call, ids)
  const top = tasks.at(-1)!
  await propagate(call, [{ before: appearanceOf(top), after: null, ancestorsStep: 0 }])
  await inTurns(tasks, tasksPerTurn, async (some) => {
    await store.deleteTasks(
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

/** Renews a claim: no change of the task, so no event and no new version. */
export const writeRenewal = async (call: Call, task: StoredTask): Promise<StoredTask> => {
  const after = { ...task, counts: { ...task.counts, derived: task.counts.derived + 1 } }
  await call.db.runAll([
    updateClaims(call.actor.tenantId, task.doc.id, task.claims, after.counts.derived),
    ...noteDueTasks(call, [after]),
  ])
  return after
}

/** Counts the open questions of a task, which hold it back: no change of the task either. */
export const writeOpenQuestions = async (call: Call, before: StoredTask, openQuestions: number): Promise<void> => {
  const { db, actor } = call
  const { doc, counts } = before
  const after = { ...before, counts: { ...counts, openQuestions, derived: counts.derived + 1 } }
  await db.runAll([
    store.setOpenQuestions(actor.tenantId, doc.id, openQuestions, after.counts.derived),
    ...(await requeue(call, [{ before, after }])).statements,
  ])
}

const writeStale = async ({ db, actor }: Call, { doc, stale, counts }: StoredTask): Promise<void> => {
  await db.runAll([store.setStale(actor.tenantId, doc.id, stale, counts.derived)])
}

/** A task with other marks than it had. */
export const withMarks = (task: StoredTask, stale: string | null): StoredTask =>
  task.stale === stale ? task : { ...task, stale, counts: { ...task.counts, derived: task.counts.derived + 1 } }

/** Shows marks on tasks: no change of them either. Those that are new are told of. */
export const writeMarks = async (call: Call, tasks: readonly StoredTask[], isNew: (task: StoredTask) => boolean) => {
  const { db, actor } = call
  await db.runAll(tasks.map(({ doc, stale, counts }) => store.setStale(actor.tenantId, doc.id, stale, counts.derived)))
  await recordAll(
    call,
    tasks.filter(isNew).map((task) => ({ type: 'task.stale' as const, ...loggedFields(task, 0) })),
  )
}

/** More are not listed in an event. */
const maxRespacedShown = 500

/** Tells that a task stands elsewhere in its project, and of the others that got other ranks to make room for it. */
export const recordRanked = async (
  call: Call,
  before: StoredTask,
  after: StoredTask,
  ranks: readonly { id: string; rank: number }[],
): Promise<void> => {
  const others = ranks.filter(({ id }) => id !== after.doc.id).map(({ id, rank }) => ({ id, rank }))
  const logged = loggedFields(after, 0, { rank: before.rank })
  const isListed = others.length > 0 && others.length <= maxRespacedShown
  const data = isListed ? JSON.stringify({ ...JSON.parse(logged.data), respaced: others }) : logged.data
  await record(call, { type: 'task.ranked', ...logged, data })
}
