import { record, recordAll } from '../../../changelog/record.js'
import type { Statement } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { settleChecks, withDefaultChecks } from '../checks/settle.js'
import { noteEndedClaim } from '../claims/ended-store.js'
import { storedDoc } from '../json-store.js'
import { notifyOfExhausted, notifyOfTask } from '../notices.js'
import { withdrawOpenQuestions } from '../questions/write.js'
import { noteDueTasks, wakeUpOf } from '../queue/due.js'
import { isClosed } from '../queue/ready.js'
import { requeue } from '../queue/requeue.js'
import { refuseTakenExternalId } from '../references.js'
import * as rows from '../row-store.js'
import type { StoredTask } from '../stored-task.js'
import { propagate } from '../structure/propagate.js'
import { relink } from '../structure/relink.js'
import { seenChanges, touchesOthers } from '../structure/seen.js'
import { type ChangeEvent, changeOf, recordUnblocked, tasksPerTurn, type WrittenTask, withChecks } from './record.js'

const rowStatements = ({ db, actor }: Call, { before, after, stored }: WrittenTask): Statement[] =>
  before
    ? rows.updateTask(db, actor.tenantId, before, after, stored)
    : rows.insertTask(db, actor.tenantId, after, stored)

/**
 * Writes a task that was created (`before` is null) or changed, with everything that follows from it: its links and
 * its place in the queue, the counts of other tasks, and the events. A status of another category than in_progress ends
 * the claim; a task that is closed has no open questions.
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
  const written: WrittenTask = { before, after, stored: storedDoc(after.doc) }
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
  if (before && before.stale !== after.stale) await call.db.runAll([rows.setStale(call.actor.tenantId, after)])
  if (hasMootQuestions) await withdrawOpenQuestions(call, after.doc)
  await notifyOfTask(call, written)
  await notifyOfExhausted(call, requeueing.exhausted)
  return after
}

/** Writes a task without a new version and without an event: its row, its place in the queue and the counts of others. */
export const writeUnrecorded = async (call: Call, before: StoredTask, after: StoredTask): Promise<void> => {
  const written: WrittenTask = { before, after, stored: storedDoc(after.doc) }
  const { statements } = await requeue(call, [written])
  await call.db.runAll([...rowStatements(call, written), ...statements])
  const seen = seenChanges([written])
  if (seen.length > 0) await propagate(call, seen)
}

/** A change of a task whose links are written, and by which it stays as open as it was. */
export interface TaskChange {
  before: StoredTask
  after: StoredTask
  event: ChangeEvent
}

const writeSome = async (call: Call, changes: readonly TaskChange[]): Promise<void> => {
  const written = changes.map(({ before, after }) => ({ before, after, stored: storedDoc(after.doc) }))
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
