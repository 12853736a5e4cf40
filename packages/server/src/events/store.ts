import { isoTime } from '../clock.js'
import type { Sql } from '../db/port.js'
import { placeholders } from '../paging.js'
import type { EventFilter, EventType } from './types.js'

interface EventRow {
  sequence: number
  id: string
  type: EventType
  project_id: string
  created_at: number
  actor: string
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
  json: `{"id":"${row.id}","sequence":${row.sequence},"type":"${row.type}","timestamp":"${isoTime(row.created_at)}","actor":${row.actor},"projectId":${row.project_id === '' ? 'null' : `"${row.project_id}"`},"data":${row.data},"previous":${row.previous}}`,
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

const columns = 'sequence, id, type, project_id, created_at, actor, data, previous'

/** The wanted events after one sequence and up to another, in order. */
export const listEvents = async (
  db: Sql,
  tenantId: string,
  [after, upTo]: readonly [after: number, upTo: number],
  { types, projectIds }: EventFilter,
  count: number,
): Promise<StoredEvent[]> => {
  const ofTypes = types ? ` and type in (${placeholders(types)})` : ''
  const ofProjects = projectIds ? ` and project_id in (${placeholders(projectIds)})` : ''
  const rows = await db.all<EventRow>(
    `select ${columns} from events
     where tenant_id = ? and sequence > ? and sequence <= ?${ofTypes}${ofProjects} order by sequence limit ?`,
    [tenantId, after, upTo, ...(types ?? []), ...(projectIds ?? []), count],
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
