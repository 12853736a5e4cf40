import { insertRows } from '../db/given-rows.js'
import type { Sql, Statement } from '../db/port.js'
import type { ActorRef } from '../operations/actor.js'
import type { Interface } from '../operations/call.js'
import { eventColumns } from './columns.js'
import type { EventType } from './event-types.js'

export interface NewEvent {
  id: string
  type: EventType
  subject: string
  /** The record that the event is found by: the subject, or the record that the subject is part of. */
  about: string
  /** The id of a knowledge item, whose key is the subject. */
  itemId: string | null
  projectId: string
  createdAtMs: number
  actor: ActorRef
  requestId: string | null
  via: Interface
  traceparent: string | null
  undoes: string | null
  data: string
  previous?: string | null
  /** By how much the change makes what is stored larger. */
  growthBytes: number
}

/** What is written with an event: before it, each on its own; with its number; and once it has that. */
interface Accompanying {
  preceding: readonly Statement[]
  /** Reads the event's sequence from the tenant row, which already has it when this statement runs. */
  version?: Statement
  following?: readonly Statement[]
}

const insertText = `insert into events (tenant_id, ${Object.keys(eventColumns).join(', ')})
   select tenant_id, last_sequence, ?, ?, ?, cast(? as bigint), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
   from tenants where tenant_id = ? and stored_bytes <= cast(? as bigint)`

/** Numbers the event and appends it to the log, unless the tenant does not exist or would store too much. */
export const insertEvent = async (
  db: Sql,
  tenantId: string,
  event: NewEvent,
  maxStoredBytes: number,
  { preceding, version, following = [] }: Accompanying,
): Promise<'inserted' | 'no tenant' | 'too large'> => {
  const update = {
    text: `update tenants set last_sequence = last_sequence + 1, stored_bytes = stored_bytes + cast(? as bigint)
           where tenant_id = ?`,
    params: [event.growthBytes, tenantId],
  }
  const inserts = [
    {
      text: insertText,
      params: [
        event.id,
        event.type,
        event.projectId,
        event.createdAtMs,
        JSON.stringify(event.actor),
        event.requestId,
        event.via,
        event.traceparent,
        event.undoes,
        event.data,
        event.previous ?? null,
        event.subject,
        event.about,
        event.itemId,
        event.actor.keyId,
        tenantId,
        maxStoredBytes,
      ],
    },
    ...(version ? [version] : []),
  ]
  const outcomes = await db.runAll([...preceding, update, ...inserts, ...following])
  const [tenants, ...inserted] = outcomes.slice(preceding.length, preceding.length + 1 + inserts.length)
  if (tenants === 0) return 'no tenant'
  return inserted.every((rows) => rows === 1) ? 'inserted' : 'too large'
}

/**
 * The same for the events of changes that were made as one, in their order. What follows them is told the number of the
 * last. False if the tenant does not exist.
 */
export const insertEvents = async (
  db: Sql,
  tenantId: string,
  events: readonly NewEvent[],
  following: (lastSequence: number) => readonly Statement[],
): Promise<boolean> => {
  const growthBytes = events.reduce((sum, event) => sum + event.growthBytes, 0)
  const [tenant] = await db.runReturning<{ last_sequence: number }>(
    `update tenants set last_sequence = last_sequence + cast(? as bigint),
                        stored_bytes = stored_bytes + cast(? as bigint)
     where tenant_id = ? returning last_sequence`,
    [events.length, growthBytes, tenantId],
  )
  if (!tenant) return false
  const { actor, requestId, via, traceparent, createdAtMs } = events[0]!
  const common = {
    created_at: createdAtMs,
    actor: JSON.stringify(actor),
    key_id: actor.keyId,
    request_id: requestId,
    via,
    traceparent,
  }
  const first = tenant.last_sequence - events.length + 1
  const rows = events.map(({ id, type, projectId, subject, about, itemId, undoes, data, previous = null }, at) => ({
    ...common,
    ...{
      sequence: first + at,
      id,
      type,
      project_id: projectId,
      subject,
      about,
      item_id: itemId,
      undoes,
      data,
      previous,
    },
  }))
  await db.runAll([...insertRows(db, tenantId, 'events', eventColumns, rows), ...following(tenant.last_sequence)])
  return true
}

/** Takes the records out of events, which keep their places in the log. */
export const redactEvents = async (db: Sql, tenantId: string, sequences: readonly number[]): Promise<void> => {
  await db.run(
    `update events set data = '{"purged":true}', previous = null
     where tenant_id = ? and ${db.dialect.isAmong('sequence', 'bigint')}`,
    [tenantId, db.dialect.listOf(sequences)],
  )
}

/** Returns the sequences of events about a task or its parts, or of events of a knowledge item, that contain text. */
export const findUnredacted = async (
  db: Sql,
  tenantId: string,
  kind: 'task' | 'knowledge',
  id: string,
  count: number,
): Promise<number[]> => {
  const rows = await db.all<{ sequence: number }>(
    `select sequence from events where tenant_id = ? and ${kind === 'task' ? 'about' : 'item_id'} = ?
       and data <> '{"purged":true}' limit cast(? as bigint)`,
    [tenantId, id, count],
  )
  return rows.map(({ sequence }) => sequence)
}

interface EventTexts {
  sequence: number
  actor: string
  data: string
  previous: string | null
}

/** What the log tells of a record, the newest first. */
export const listAbout = async (
  db: Sql,
  tenantId: string,
  record: string,
  count: number,
): Promise<Pick<EventTexts, 'data' | 'previous'>[]> =>
  db.all(
    'select data, previous from events where tenant_id = ? and about = ? order by sequence desc limit cast(? as bigint)',
    [tenantId, record, count],
  )
