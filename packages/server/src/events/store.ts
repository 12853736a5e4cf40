import type { ActorRef } from '../actor.js'
import type { Door } from '../call.js'
import { isoTime } from '../clock.js'
import type { Sql, Statement } from '../db/port.js'
import type { EventFilter, EventType } from './types.js'

interface EventRow {
  sequence: number
  id: string
  type: EventType
  project_id: string
  created_at: number
  actor: string
  request_id: string | null
  door: Door
  undoes: string | null
  data: string
  previous: string | null
}

/** An event as its JSON, and what is needed to send it. */
export interface StoredEvent {
  sequence: number
  id: string
  type: EventType
  createdAtMs: number
  json: string
}

const storedEvent = (row: EventRow): StoredEvent => ({
  sequence: row.sequence,
  id: row.id,
  type: row.type,
  createdAtMs: row.created_at,
  // The record's JSON is copied as it is.
  json: `{"id":"${row.id}","sequence":${row.sequence},"type":"${row.type}","timestamp":"${isoTime(row.created_at)}","actor":${row.actor},"requestId":${JSON.stringify(row.request_id)},"door":"${row.door}","projectId":${row.project_id === '' ? 'null' : `"${row.project_id}"`},${row.undoes === null ? '' : `"undoes":"${row.undoes}",`}"data":${row.data},"previous":${row.previous}}`,
})

/** The newest sequence of a tenant, and the oldest that is still kept: one more than the newest where none is. */
export const findLogEnds = async (db: Sql, tenantId: string): Promise<{ oldest: number; newest: number }> => {
  const row = await db.get<{ newest: number; oldest: number | null }>(
    `select last_sequence as newest, (select min(sequence) from events where events.tenant_id = tenants.tenant_id) as oldest
     from tenants where tenant_id = ?`,
    [tenantId],
  )
  const newest = row?.newest ?? 0
  return { newest, oldest: row?.oldest ?? newest + 1 }
}

const columns = 'sequence, id, type, project_id, created_at, actor, request_id, door, undoes, data, previous'

/** The wanted events after one sequence and up to another, in order. */
export const listEvents = async (
  db: Sql,
  tenantId: string,
  [after, upTo]: readonly [after: number, upTo: number],
  { types, projectIds }: EventFilter,
  count: number,
): Promise<StoredEvent[]> => {
  const { isAmong, listOf } = db.dialect
  const ofTypes = types ? ` and ${isAmong('type', 'text')}` : ''
  const ofProjects = projectIds ? ` and ${isAmong('project_id', 'text')}` : ''
  const rows = await db.all<EventRow>(
    `select ${columns} from events
     where tenant_id = ? and sequence > ? and sequence <= ?${ofTypes}${ofProjects} order by sequence limit ?`,
    [tenantId, after, upTo, ...(types ? [listOf(types)] : []), ...(projectIds ? [listOf(projectIds)] : []), count],
  )
  return rows.map(storedEvent)
}

export const findEvent = async (db: Sql, tenantId: string, sequence: number): Promise<StoredEvent | undefined> => {
  const row = await db.get<EventRow>(`select ${columns} from events where tenant_id = ? and sequence = ?`, [
    tenantId,
    sequence,
  ])
  return row && storedEvent(row)
}

export interface NewEvent {
  id: string
  type: EventType
  subject: string
  /** The record that it is found by: the subject, or what that is part of. */
  about: string
  projectId: string
  createdAtMs: number
  actor: ActorRef
  requestId: string | null
  door: Door
  undoes: string | null
  data: string
  previous?: string | null
  /** By how much the change makes what is stored larger. */
  growthBytes: number
}

/** What is written with an event: before it, each on its own; with its number; and once it has that. */
interface Accompanying {
  preceding: readonly Statement[]
  /** Selects from the tenant as `updated`; see `updateThenInsert`. */
  version?: Statement
  following?: readonly Statement[]
}

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
      text: `insert into events (tenant_id, sequence, id, type, project_id, subject, about, created_at, actor, key_id,
                                 request_id, door, undoes, data, previous)
             select tenant_id, last_sequence, ?, ?, ?, ?, ?, cast(? as bigint), ?, ?, ?, ?, ?, ?, ?
             from updated where updated.tenant_id = ? and stored_bytes <= cast(? as bigint)`,
      params: [
        event.id,
        event.type,
        event.projectId,
        event.subject,
        event.about,
        event.createdAtMs,
        JSON.stringify(event.actor),
        event.actor.keyId,
        event.requestId,
        event.door,
        event.undoes,
        event.data,
        event.previous ?? null,
        tenantId,
        maxStoredBytes,
      ],
    },
    ...(version ? [version] : []),
  ]
  const { first, counted } = db.dialect.updateThenInsert('tenants', update, numberedColumns, inserts, preceding)
  const outcomes = await db.runAll([...first, ...counted, ...following])
  const rows = outcomes.slice(first.length, first.length + counted.length).reduce((sum, count) => sum + count, 0)
  if (rows === 0) return 'no tenant'
  return rows === 1 + inserts.length ? 'inserted' : 'too large'
}

const numberedColumns = ['tenant_id', 'last_sequence', 'stored_bytes']

const eventColumns = {
  place: 'bigint',
  id: 'text',
  type: 'text',
  project_id: 'text',
  subject: 'text',
  about: 'text',
  undoes: 'text',
  data: 'text',
  previous: 'text',
} as const

/** The same for the events of changes that were made as one, in their order; false if the tenant does not exist. */
export const insertEvents = async (
  db: Sql,
  tenantId: string,
  events: readonly NewEvent[],
  following: readonly Statement[],
): Promise<boolean> => {
  const { createdAtMs, actor, requestId, door } = events[0]!
  const rows = events.map(({ id, type, projectId, subject, about, undoes, data, previous = null }, place) => ({
    ...{ place, id, type, project_id: projectId, subject, about, undoes, data, previous },
  }))
  const growthBytes = events.reduce((sum, event) => sum + event.growthBytes, 0)
  const [, inserted] = await db.runAll([
    {
      text: `update tenants set last_sequence = last_sequence + cast(? as bigint),
                                stored_bytes = stored_bytes + cast(? as bigint)
             where tenant_id = ?`,
      params: [events.length, growthBytes, tenantId],
    },
    {
      text: `insert into events (tenant_id, sequence, id, type, project_id, subject, about, created_at, actor, key_id,
                                 request_id, door, undoes, data, previous)
             select t.tenant_id, t.last_sequence - cast(? as bigint) + 1 + given.place, given.id, given.type,
                    given.project_id, given.subject, given.about, cast(? as bigint), cast(? as text), cast(? as text),
                    cast(? as text), cast(? as text), given.undoes, given.data, given.previous
             from ${db.dialect.rowsOf(eventColumns)} cross join tenants t where t.tenant_id = ?`,
      params: [
        ...[events.length, createdAtMs, JSON.stringify(actor), actor.keyId, requestId, door],
        ...[JSON.stringify(rows), tenantId],
      ],
    },
    ...following,
  ])
  return inserted === events.length
}

/** The newest of the oldest `count` events, if it is from before a time. */
export const findLastExpired = async (
  db: Sql,
  tenantId: string,
  beforeMs: number,
  count: number,
): Promise<number | null> => {
  const row = await db.get<{ sequence: number | null }>(
    `select max(sequence) as sequence from
       (select sequence, created_at from events where tenant_id = ? order by sequence limit ?) oldest
     where created_at < ?`,
    [tenantId, count, beforeMs],
  )
  return row?.sequence ?? null
}

export const deleteEventsUpTo = async (db: Sql, tenantId: string, sequence: number): Promise<number> =>
  db.run('delete from events where tenant_id = ? and sequence <= ?', [tenantId, sequence])

export const deleteEvents = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run('delete from events where tenant_id = ?', [tenantId])
}

/** Takes the records out of events, which keep their places in the log. */
export const redactEvents = async (db: Sql, tenantId: string, sequences: readonly number[]): Promise<void> => {
  await db.run(
    `update events set data = '{"purged":true}', previous = null
     where tenant_id = ? and ${db.dialect.isAmong('sequence', 'bigint')}`,
    [tenantId, db.dialect.listOf(sequences)],
  )
}

/** Events about a task or its comments that still show them. */
export const findUnredacted = async (db: Sql, tenantId: string, taskId: string, count: number): Promise<number[]> => {
  const rows = await db.all<{ sequence: number }>(
    `select sequence from events where tenant_id = ? and about = ? and data <> '{"purged":true}' limit ?`,
    [tenantId, taskId, count],
  )
  return rows.map(({ sequence }) => sequence)
}

/** Events of an item from before a sequence that still show it. */
export const findUnredactedOfItem = async (
  db: Sql,
  tenantId: string,
  { projectId, key }: { projectId: string; key: string },
  beforeSequence: number,
  count: number,
): Promise<number[]> => {
  const rows = await db.all<{ sequence: number }>(
    `select sequence from events where tenant_id = ? and about = ? and project_id = ? and sequence < ?
       and type like 'knowledge.%' and data <> '{"purged":true}' limit ?`,
    [tenantId, key, projectId, beforeSequence, count],
  )
  return rows.map(({ sequence }) => sequence)
}

/** Continues numbering `gap` above the highest known sequence, and counting commits as far above. */
export const raiseSequence = async (db: Sql, tenantId: string, highestKnown: number, gap: number): Promise<void> => {
  await db.run(
    `update tenants set commit_count = commit_count + cast(? as bigint), last_sequence = cast(? as bigint) +
       case when last_sequence < cast(? as bigint) then cast(? as bigint) else last_sequence end
     where tenant_id = ?`,
    [gap, gap, highestKnown, highestKnown, tenantId],
  )
}

/** What the events of one record, or of one key, have in common. */
export type EventSubject = { taskId: string } | { knowledgeKey: string } | { keyId: string }

const conditionOf = (about: EventSubject): { text: string; params: string[] } => {
  if ('keyId' in about) {
    const beginning = `{"keyId":${JSON.stringify(about.keyId)},`
    return { text: `substr(actor, 1, ${beginning.length}) = ?`, params: [beginning] }
  }
  if ('knowledgeKey' in about) return { text: "subject = ? and type like 'knowledge.%'", params: [about.knowledgeKey] }
  return {
    text: "(subject = ? and type like 'task.%' or type like 'comment.%' and data like ?)",
    params: [about.taskId, `{"id":"%","taskId":"${about.taskId}",%`],
  }
}

/** The wanted events about something, after one sequence and up to another, the newest first. */
export const listNewestEvents = async (
  db: Sql,
  tenantId: string,
  [after, upTo]: readonly [after: number, upTo: number],
  about: EventSubject,
  { types, projectIds }: EventFilter,
  sinceMs: number,
  count: number,
): Promise<StoredEvent[]> => {
  const { isAmong, listOf } = db.dialect
  const ofTypes = types ? ` and ${isAmong('type', 'text')}` : ''
  const ofProjects = projectIds ? ` and ${isAmong('project_id', 'text')}` : ''
  const { text, params } = conditionOf(about)
  const rows = await db.all<EventRow>(
    `select ${columns} from events
     where tenant_id = ? and sequence > ? and sequence <= ? and created_at >= ? and ${text}${ofTypes}${ofProjects}
     order by sequence desc limit ?`,
    [
      ...[tenantId, after, upTo, sinceMs, ...params],
      ...[...(types ? [listOf(types)] : []), ...(projectIds ? [listOf(projectIds)] : []), count],
    ],
  )
  return rows.map(storedEvent)
}

/** What the newest events are to have in common: the record that they are about, or the key that made the change. */
export interface NewestFilter extends EventFilter {
  about?: string | undefined
  keyId?: string | undefined
}

/** A range of the log, backwards: those after a sequence and before another. */
export type BackwardRange = readonly [after: number, before: number]

/** The entries of the index that serves a filter best. */
const candidates = ({ about, keyId }: NewestFilter): { text: string; params: string[] } => {
  if (about !== undefined) return { text: ' and about = ?', params: [about] }
  return keyId === undefined ? { text: '', params: [] } : { text: ' and key_id = ?', params: [keyId] }
}

/** The wanted ones among the newest `scanned` candidates before a sequence, the newest first. */
export const listEventsBackwards = async (
  db: Sql,
  tenantId: string,
  [after, before]: BackwardRange,
  filter: NewestFilter,
  scanned: number,
  count: number,
): Promise<StoredEvent[]> => {
  const { isAmong, listOf } = db.dialect
  const { types, projectIds, about, keyId } = filter
  const { text, params } = candidates(filter)
  const isKeyLeft = about !== undefined && keyId !== undefined
  const rest = [
    ...(types ? [{ condition: isAmong('type', 'text'), param: listOf(types) }] : []),
    ...(projectIds ? [{ condition: isAmong('project_id', 'text'), param: listOf(projectIds) }] : []),
    ...(isKeyLeft ? [{ condition: 'key_id = ?', param: keyId }] : []),
  ]
  // The candidates are looked through in their order, and no further than needed; only the wanted ones are read whole.
  const where = rest.length === 0 ? '' : ` where ${rest.map(({ condition }) => condition).join(' and ')}`
  const rows = await db.all<EventRow>(
    `select ${columns} from events where tenant_id = ? and sequence in (
       select sequence from (
         select sequence, type, project_id${isKeyLeft ? ', key_id' : ''} from events
         where tenant_id = ? and sequence > ? and sequence < ?${text} order by sequence desc limit ?
       ) newest${where} limit ?)
     order by sequence desc`,
    [tenantId, tenantId, after, before, ...params, scanned, ...rest.map(({ param }) => param), count],
  )
  return rows.map(storedEvent)
}

/** The sequence of the last of so many candidates; null where there are fewer. */
export const findLastCandidate = async (
  db: Sql,
  tenantId: string,
  [after, before]: BackwardRange,
  filter: NewestFilter,
  scanned: number,
): Promise<number | null> => {
  const { text, params } = candidates(filter)
  const row = await db.get<{ sequence: number }>(
    `select sequence from events where tenant_id = ? and sequence > ? and sequence < ?${text}
     order by sequence desc limit 1 offset ?`,
    [tenantId, after, before, ...params, scanned - 1],
  )
  return row?.sequence ?? null
}
