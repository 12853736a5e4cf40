import { noteDue } from '../../../background/note.js'
import type { Statement } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import type { StaleReason } from '../../fields/stale-marks.js'
import type { Lifecycle } from '../stored-meta.js'
import * as reliedStore from './store.js'

/** The dependents are looked at after the commit. */
const queue = async ({ db, actor, clock }: Call, statement: Statement): Promise<void> => {
  if ((await db.run(statement.text, statement.params)) === 0) return
  const nowMs = clock()
  await db.runAll(noteDue(db, { tenantId: actor.tenantId, kind: 'stale_checks', dueAtMs: nowMs }, nowMs))
}

/** The fields that determine whether an item is valid. */
interface Holding {
  lifecycle: Lifecycle
  trust: string
  valid_until: number | null
}

/** Returns why an item is not valid; null if it is valid. */
export const reasonOf = ({ lifecycle, trust, valid_until }: Holding, nowMs: number): StaleReason | null => {
  if (lifecycle === 'retracted') return 'retracted'
  if (trust === 'disputed') return 'disputed'
  if (lifecycle === 'superseded') return 'superseded'
  return valid_until !== null && valid_until <= nowMs ? 'expired' : null
}

const causeOf = ({ clock, actor }: Call, isNew: boolean): reliedStore.Cause => {
  const nowMs = clock()
  return { dueAtMs: nowMs, userId: actor.userId, sinceMs: isNew ? nowMs : 0 }
}

/** Queues a check of the dependents of items that may be valid again, or that have another key or project. */
export const queueChecks = (call: Call, ids: readonly string[]): Promise<void> =>
  queue(call, reliedStore.queueChecks(call.db, call.actor.tenantId, ids, causeOf(call, false)))

/** Queues a check of the dependents of deleted items. */
export const queueDeleted = (call: Call, ids: readonly string[]): Promise<void> =>
  queue(call, reliedStore.queueChecks(call.db, call.actor.tenantId, ids, causeOf(call, true)))

/** Queues a check of an item's dependents if a change makes the item valid or invalid, or changes when it expires. */
export const queueChanged = async (call: Call, id: string, before: Holding, after: Holding): Promise<void> => {
  const nowMs = call.clock()
  const [reasonBefore, reason] = [reasonOf(before, nowMs), reasonOf(after, nowMs)]
  if (reasonBefore === reason && before.valid_until === after.valid_until) return
  const cause = causeOf(call, reason !== null && reason !== reasonBefore)
  await queue(call, reliedStore.queueChecks(call.db, call.actor.tenantId, [id], cause))
}

/** Queues a check of all that relied on items of a project that was deleted or restored. */
export const queueChecksOfProject = (call: Call, projectId: string, isDeleted: boolean): Promise<void> =>
  queue(call, reliedStore.queueChecksOfProject(call.actor.tenantId, projectId, causeOf(call, isDeleted)))

/** Queues a check of the marks on a restored item. */
export const queueReturned = (call: Call, id: string): Promise<void> =>
  queue(call, reliedStore.queueReturned(call.actor.tenantId, id, call.clock()))
