import { isoTime } from '../../base/clock.js'
import { shownEventColumns } from '../../changelog/columns.js'
import type { EventFilter, EventType } from '../../changelog/event-types.js'
import type { Sql } from '../../db/port.js'
import { inProjects } from '../../db/project-conditions.js'
import type { Interface } from '../../operations/call.js'

interface EventRow {
  sequence: number
  id: string
  type: EventType
  project_id: string
  created_at: number
  actor: string
  request_id: string | null
  via: Interface
  traceparent: string | null
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
  traceparent?: string | undefined
  json: string
}

const storedEvent = (row: EventRow): StoredEvent => ({
  sequence: row.sequence,
  id: row.id,
  type: row.type,
  createdAtMs: row.created_at,
  ...(row.traceparent !== null && { traceparent: row.traceparent }),
  // The record's JSON is copied as it is.
  json: `{"id":"${row.id}","sequence":${row.sequence},"type":"${row.type}","timestamp":"${isoTime(row.created_at)}","actor":${row.actor},"requestId":${JSON.stringify(row.request_id)},"via":"${row.via}",${row.traceparent === null ? '' : `"traceparent":"${row.traceparent}",`}"projectId":${row.project_id === '' ? 'null' : `"${row.project_id}"`},${row.undoes === null ? '' : `"undoes":"${row.undoes}",`}"data":${row.data},"previous":${row.previous}}`,
})

/** The newest sequence of a tenant, and the oldest that is still kept: one more than the newest where none is. */
export const findLogEnds = async (db: Sql, tenantId: string): Promise<{ oldest: number; newest: number }> => {
  const row = await db.get<{ newest: number; oldest: number | null }>(
    `select last_sequence as newest, (select min(sequence) from events where events.tenant_id = :tenant) as oldest
     from tenants where tenant_id = ?`,
    [tenantId],
  )
  const newest = row?.newest ?? 0
  return { newest, oldest: row?.oldest ?? newest + 1 }
}

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
  const [ofProjects, projects] = inProjects(db.dialect, 'project_id', projectIds)
  const rows = await db.all<EventRow>(
    `select ${shownEventColumns} from events
     where tenant_id = ? and sequence > ? and sequence <= ?${ofTypes}${ofProjects} order by sequence limit cast(? as bigint)`,
    [tenantId, after, upTo, ...(types ? [listOf(types)] : []), ...projects, count],
  )
  return rows.map(storedEvent)
}

export const findEvent = async (db: Sql, tenantId: string, sequence: number): Promise<StoredEvent | undefined> => {
  const row = await db.get<EventRow>(`select ${shownEventColumns} from events where tenant_id = ? and sequence = ?`, [
    tenantId,
    sequence,
  ])
  return row && storedEvent(row)
}

/** When the first event from a sequence on was made; null where there is none. */
export const findTimeFrom = async (db: Sql, tenantId: string, sequence: number): Promise<number | null> => {
  const row = await db.get<{ created_at: number }>(
    'select created_at from events where tenant_id = ? and sequence >= ? order by sequence limit 1',
    [tenantId, sequence],
  )
  return row?.created_at ?? null
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
       (select sequence, created_at from events where tenant_id = ? order by sequence limit cast(? as bigint)) oldest
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

/** Continues numbering `gap` above the highest known sequence, and counting commits as far above. */
export const raiseSequence = async (db: Sql, tenantId: string, highestKnown: number, gap: number): Promise<void> => {
  await db.run(
    `update tenants set commit_count = commit_count + cast(? as bigint), last_sequence = cast(? as bigint) +
       case when last_sequence < cast(? as bigint) then cast(? as bigint) else last_sequence end
     where tenant_id = ?`,
    [gap, gap, highestKnown, highestKnown, tenantId],
  )
}

/** What the newest events have in common: the record that they are about, the key that made the change, their time. */
export interface NewestFilter extends EventFilter {
  about?: string | undefined
  keyId?: string | undefined
  /** From the first on, and before the second. */
  sinceMs?: number | undefined
  untilMs?: number | undefined
}

/** A range of the log, backwards: those after a sequence and before another. */
type BackwardRange = readonly [after: number, before: number]

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
  const { types, projectIds, about, keyId, sinceMs, untilMs } = filter
  const { text, params } = candidates(filter)
  const isKeyLeft = about !== undefined && keyId !== undefined
  const [ofProjects, projects] = inProjects(db.dialect, 'project_id', projectIds)
  const ofTypes = types ? ` and ${isAmong('type', 'text')}` : ''
  // The candidates are looked through in their order, and no further than needed; only the wanted ones are read whole.
  const isTimed = sinceMs !== undefined || untilMs !== undefined
  const ofTime = isTimed ? ' and created_at >= ? and created_at < ?' : ''
  const rest = `${ofTypes}${ofProjects}${isKeyLeft ? ' and key_id = ?' : ''}${ofTime}`
  const where = rest === '' ? '' : ` where ${rest.slice(' and '.length)}`
  const times = isTimed ? [sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER] : []
  const restParams = [...(types ? [listOf(types)] : []), ...projects, ...(isKeyLeft ? [keyId] : []), ...times]
  const rows = await db.all<EventRow>(
    `select ${shownEventColumns} from events where tenant_id = ? and sequence in (
       select sequence from (
         select sequence, type, project_id${isKeyLeft ? ', key_id' : ''}${isTimed ? ', created_at' : ''} from events
         where tenant_id = ? and sequence > ? and sequence < ?${text} order by sequence desc limit cast(? as bigint)
       ) newest${where} limit cast(? as bigint))
     order by sequence desc`,
    [tenantId, tenantId, after, before, ...params, scanned, ...restParams, count],
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
