import { noteDue } from '../background/note.js'
import type { Awaitable } from '../base/awaitable.js'
import { newId } from '../base/ids.js'
import type { Statement } from '../db/port.js'
import { overStoredBytes, refuseOverStoredBytes } from '../limits/quotas/stored-bytes.js'
import { noteChanges } from '../limits/usage/usage.js'
import { actorRef } from '../operations/actor.js'
import type { Call } from '../operations/call.js'
import { insertEvent, insertEvents, type NewEvent } from './event-store.js'
import type { EventType } from './event-types.js'
import { entryOf } from './trash/entry.js'
import { type ChangeOrigin, type Kept, keepAttached, keepVersion, keepVersions } from './versions/keep.js'
import { type KeptVersion, keptBytesOf, type LoggedType } from './versions/version.js'

interface LoggedFields {
  /** What identifies the record among its kind: a task's or a project's id, an item's key. */
  subject: string
  /** The record that the change belongs to if it is not the subject, such as the task of a comment. */
  about?: string
  /** The id of a knowledge item, whose key is the subject. */
  itemId?: string
  /** Empty where the record belongs to no project. */
  projectId: string
  /** The record after the change, as JSON. */
  data: string
  /** The changed fields as they were before, as JSON. */
  previous?: string | null
  /** How many bytes more the tenant's records have after the change, without what is kept; fewer where it is negative. */
  growthBytes?: number
}

type DeletionType = Extract<LoggedType, `${string}.deleted`>

/** A change of a record whose versions are kept. */
export interface RecordedChange extends LoggedFields {
  type: Exclude<LoggedType, DeletionType>
  kept: Kept
  /** The event that the change takes back, where it is another than the call's. */
  undoes?: string
}

/**
 * What is deleted goes to the trash, where it is listed under its title: with what the last `count` events deleted, or
 * with the entry of a later deletion.
 */
interface Deletion extends LoggedFields {
  type: DeletionType
  kept: Kept
  entry: { title: string; count: number } | null
  undoes?: string
}

/** `task.moved` is also told to the project that the task has left. */
interface OtherChange extends LoggedFields {
  type: Exclude<EventType, LoggedType> | 'task.moved'
  kept?: never
  undoes?: never
}

export type Change = RecordedChange | Deletion | OtherChange

/** Larger records stand in the log without their long text, marked so; a reader fetches them by their id. */
export const maxEventDataLength = 65_536

const ownVersion = ({ type, projectId, kept }: RecordedChange | Deletion): KeptVersion => ({
  type,
  projectId,
  record: kept.record,
  ...(kept.itemKey !== undefined && { itemKey: kept.itemKey }),
  version: kept.version,
  beforeVersion: kept.beforeVersion,
  before: kept.before,
  ...(kept.rest !== undefined && { rest: kept.rest }),
})

/** What a change adds to the tenant's stored bytes: the growth of its record, and the versions that it keeps. */
const growthOf = ({ growthBytes = 0, kept }: Change): number =>
  growthBytes + (kept ? keptBytesOf([kept]) + keptBytesOf(kept.with ?? []) : 0)

/** Deleting is how a tenant that is over its quota gets below it again, once the trash is emptied. */
const isLimited = ({ type, growthBytes }: Pick<NewEvent, 'type' | 'growthBytes'>): boolean =>
  growthBytes > 0 && !type.endsWith('.deleted')

const newEvent = (call: Call, change: Change, createdAtMs: number): NewEvent => ({
  id: newId('evt'),
  type: change.type,
  subject: change.subject,
  about: change.about ?? change.subject,
  itemId: change.itemId ?? null,
  projectId: change.projectId,
  data: change.data,
  previous: change.previous ?? null,
  createdAtMs,
  actor: actorRef(call.actor),
  requestId: call.origin.requestId,
  via: call.origin.via,
  traceparent: call.origin.traceparent ?? null,
  undoes: change.undoes ?? call.undoes ?? null,
  growthBytes: growthOf(change),
})

/**
 * Writes the one event of a change with the version that it replaced, in the change's own transaction. The tenant's row
 * is locked from here until the commit, so sequences are given out in commit order and no reader can pass one that
 * becomes visible later. That is why it comes last in a transaction. Statements of the change that precede it go to the
 * store with it.
 */
export const record = (call: Call, change: Change, preceding: readonly Statement[] = []): Awaitable<void> =>
  call.db.awaitBeforeCommit(writeChange(call, change, preceding))

const spendOn = ({ work, origin }: Call, changes: readonly Change[]): void => {
  // The end of a lease is nobody's change.
  if (origin.via !== 'service') noteChanges(origin.usage, changes.filter(({ kept }) => kept).length)
  work?.spend('change', changes.length)
  for (const { data, previous, kept } of changes) {
    work?.spendText(data, previous, kept?.before)
    for (const { before } of kept?.with ?? []) work?.spendText(before)
  }
}

const writeChange = async (call: Call, change: Change, preceding: readonly Statement[]): Promise<void> => {
  const { db, actor, clock, plan } = call
  spendOn(call, [change])
  const event = newEvent(call, change, clock())
  const maxStoredBytes = (isLimited(event) && plan?.storedBytes) || Number.MAX_SAFE_INTEGER
  const outcome = await insertEvent(db, actor.tenantId, event, maxStoredBytes, {
    preceding,
    ...(change.kept && kept(call, change, event)),
  })
  if (outcome === 'no tenant') throw new Error('the tenant of this change was deleted')
  if (outcome === 'too large') throw await overStoredBytes(db, actor.tenantId, maxStoredBytes, event.growthBytes)
  db.announce(actor.tenantId)
}

const kept = (
  call: Call,
  change: RecordedChange | Deletion,
  event: NewEvent,
): { version: Statement; following: Statement[] } => {
  const { db, actor } = call
  const { id: eventId, createdAtMs, requestId, via, undoes } = event
  const origin: ChangeOrigin = {
    eventId,
    createdAtMs,
    actor: event.actor,
    requestId,
    via,
    undoes,
    claim: call.claim ?? null,
  }
  return {
    version: keepVersion(actor.tenantId, ownVersion(change), origin),
    following: [...keepAttached(db, actor.tenantId, change.kept.with ?? [], origin), ...entries(call, change, origin)],
  }
}

const entries = (call: Call, change: Change, origin: Pick<ChangeOrigin, 'createdAtMs' | 'actor'>): Statement[] => {
  if (!('entry' in change && change.entry)) return []
  const { db, actor, clock } = call
  const { title, count } = change.entry
  return [
    entryOf(actor.tenantId, ownVersion(change), title, origin, count),
    ...noteDue(db, { tenantId: actor.tenantId, kind: 'trash', dueAtMs: origin.createdAtMs }, clock()),
  ]
}

/** The events of many changes that were made as one, in their order. */
export const recordAll = async (call: Call, changes: readonly Change[]): Promise<void> => {
  if (changes.length === 0) return
  const { db, actor, clock, plan } = call
  spendOn(call, changes)
  const atMs = clock()
  const events = changes.map((change) => newEvent(call, change, atMs))
  const origin = { ...events[0]!, claim: call.claim ?? null }
  const versions = changes.map((change, at) => {
    if (!change.kept) return undefined
    const { id: eventId, undoes } = events[at]!
    return { eventId, undoes, own: ownVersion(change), with: change.kept.with ?? [] }
  })
  const following = (lastSequence: number): Statement[] => [
    ...keepVersions(db, actor.tenantId, versions, origin, lastSequence),
    // An entry holds the last of all events, so its own deletion comes last.
    ...entries(call, changes.at(-1)!, origin),
  ]
  if (!(await insertEvents(db, actor.tenantId, events, following))) {
    throw new Error('the tenant of these changes was deleted')
  }
  if (plan?.storedBytes && events.some(isLimited)) {
    const growthBytes = events.reduce((sum, event) => sum + event.growthBytes, 0)
    await refuseOverStoredBytes(db, actor.tenantId, plan.storedBytes, growthBytes)
  }
  db.announce(actor.tenantId)
}

/** A record stored before a field existed lacks it, which is the same as null. */
const textOf = (value: unknown): string => JSON.stringify(value ?? null)

/** The fields that differ, as they were before. */
export const changedFields = <T extends object>(before: T, after: T): Partial<T> => {
  const changed: Partial<T> = {}
  for (const name of Object.keys({ ...before, ...after }) as (keyof T)[]) {
    if (before[name] === after[name]) continue
    if (textOf(before[name]) !== textOf(after[name])) changed[name] = before[name] ?? (null as T[keyof T])
  }
  return changed
}
