import { noteDue } from '../../../changelog/due-work/note.js'
import type { Statement } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import type { StaleReason } from '../../fields/stale-marks.js'
import type { ProjectScope } from '../store.js'
import type { Lifecycle } from '../stored-meta.js'
import * as reliedStore from './store.js'

/** The dependents are looked at after the commit. */
const queue = async ({ db, actor, clock }: Call, statement: Statement): Promise<void> => {
  if ((await db.run(statement.text, statement.params)) === 0) return
  const nowMs = clock()
  await db.runAll(noteDue(db, { tenantId: actor.tenantId, kind: 'stale_checks', dueAtMs: nowMs }, nowMs))
}

/** What tells whether an item holds; of a deleted one nothing is left. */
interface Holding {
  lifecycle: Lifecycle | null
  trust: string | null
  valid_until: number | null
}

/** Why an item does not hold; null where it does. */
export const reasonOf = ({ lifecycle, trust, valid_until }: Holding, nowMs: number): StaleReason | null => {
  if (lifecycle === null) return 'deleted'
  if (lifecycle === 'retracted') return 'retracted'
  if (trust === 'disputed') return 'disputed'
  if (lifecycle === 'superseded') return 'superseded'
  return valid_until !== null && valid_until <= nowMs ? 'expired' : null
}

const causeOf = ({ clock, actor }: Call, isNew: boolean): reliedStore.Cause => {
  const nowMs = clock()
  return { dueAtMs: nowMs, userId: actor.userId, sinceMs: isNew ? nowMs : 0 }
}

/** An item may hold again, or is elsewhere: its dependents are looked at after the commit. */
export const queueCheck = (call: Call, projectId: ProjectScope, key: string): Promise<void> =>
  queue(call, reliedStore.queueCheck(call.actor.tenantId, projectId, key, causeOf(call, false)))

/** The same for an item that is deleted. */
export const queueDeleted = (call: Call, projectId: ProjectScope, key: string): Promise<void> =>
  queue(call, reliedStore.queueCheck(call.actor.tenantId, projectId, key, causeOf(call, true)))

/** The same for a change by which an item no longer holds, holds again, or will do so until another time. */
export const queueChanged = async (
  call: Call,
  projectId: ProjectScope,
  key: string,
  before: Holding,
  after: Holding,
): Promise<void> => {
  const nowMs = call.clock()
  const [reasonBefore, reason] = [reasonOf(before, nowMs), reasonOf(after, nowMs)]
  if (reasonBefore === reason && before.valid_until === after.valid_until) return
  const cause = causeOf(call, reason !== null && reason !== reasonBefore)
  await queue(call, reliedStore.queueCheck(call.actor.tenantId, projectId, key, cause))
}

/** Queues a check of all that relied on items of a project that was deleted or restored. */
export const queueChecksOfProject = (call: Call, projectId: ProjectScope, isDeleted: boolean): Promise<void> =>
  queue(call, reliedStore.queueChecksOfProject(call.actor.tenantId, projectId, causeOf(call, isDeleted)))

/** An item came back, and so do the marks on it. */
export const queueReturned = (call: Call, projectId: ProjectScope, key: string): Promise<void> =>
  queue(call, reliedStore.queueReturned(call.actor.tenantId, projectId, key, call.clock()))

type At = readonly [projectId: ProjectScope, key: string]

/** Items were moved: who relied on them still does, and is to show their new keys. */
export const moveRelied = async (call: Call, moves: readonly { from: At; to: At }[]): Promise<void> => {
  const { db, actor } = call
  const keysOf = async (ats: readonly At[]): Promise<Set<string>> => {
    const keys = ats.map(([, key]) => key)
    const rows = ats[0] ? await reliedStore.findReliedAt(db, actor.tenantId, ats[0][0], keys) : []
    return new Set(rows.map(({ key }) => key))
  }
  const [left, taken] = [await keysOf(moves.map(({ from }) => from)), await keysOf(moves.map(({ to }) => to))]
  for (const { from, to } of moves) {
    if (!left.has(from[1]) && !taken.has(to[1])) continue
    await db.runAll(reliedStore.moveReliedItem(actor.tenantId, from, to))
    await queueCheck(call, ...to)
  }
}
