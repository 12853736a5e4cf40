import type { Sql } from '../db/port.js'
import type { KnowledgeRow, TaskRow } from './records.js'

const taskColumns = 't.id, t.project_id, t.status, t.priority, t.assignee_id, t.due_at, t.updated_at, t.doc'
const knowledgeColumns = 'k.project_id, k.key, k.updated_at, k.content'

export interface KnowledgePlace {
  project_id: string
  key: string
}

export interface LoggedChange {
  sequence: number
  id: string
  type: string
  project_id: string
  subject: string
  created_at: number
}

/** The last event of a tenant, and the id of the one at a sequence, where it is still kept. */
export const logState = async (
  db: Sql,
  tenantId: string,
  sequence: number,
): Promise<{ newest: number; eventId: string | null } | undefined> =>
  db.get(
    `select last_sequence as newest,
       (select id from events e where e.tenant_id = t.tenant_id and e.sequence = ?) as "eventId"
     from tenants t where t.tenant_id = ?`,
    [sequence, tenantId],
  )

/** The last event of a tenant; undefined where the tenant is gone. */
export const lastSequence = async (db: Sql, tenantId: string): Promise<number | undefined> =>
  (await db.get<{ last_sequence: number }>('select last_sequence from tenants where tenant_id = ?', [tenantId]))
    ?.last_sequence

export const changesAfter = async (
  db: Sql,
  tenantId: string,
  sequence: number,
  count: number,
): Promise<LoggedChange[]> =>
  db.all(
    `select sequence, id, type, project_id, subject, created_at from events where tenant_id = ? and sequence > ?
     order by sequence limit ?`,
    [tenantId, sequence, count],
  )

// A cross join keeps SQLite to this order: a look-up for each row given, never a reading of the whole table.
export const tasksById = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<TaskRow[]> =>
  db.all(
    `select ${taskColumns} from ${db.dialect.rowsOf({ id: 'text' })}
     cross join tasks t where t.tenant_id = ? and t.id = given.id`,
    [JSON.stringify(ids.map((id) => ({ id }))), tenantId],
  )

export const itemsAt = async (db: Sql, tenantId: string, places: readonly KnowledgePlace[]): Promise<KnowledgeRow[]> =>
  db.all(
    `select ${knowledgeColumns} from ${db.dialect.rowsOf({ project_id: 'text', key: 'text' })}
     cross join knowledge k where k.tenant_id = ? and k.project_id = given.project_id and k.key = given.key`,
    [JSON.stringify(places), tenantId],
  )

export const tasksAfter = async (db: Sql, tenantId: string, id: string, count: number): Promise<TaskRow[]> =>
  db.all(`select ${taskColumns} from tasks t where t.tenant_id = ? and t.id > ? order by t.id limit ?`, [
    tenantId,
    id,
    count,
  ])

export const itemsAfter = async (
  db: Sql,
  tenantId: string,
  after: KnowledgePlace,
  count: number,
): Promise<KnowledgeRow[]> =>
  db.all(
    `select ${knowledgeColumns} from knowledge k where k.tenant_id = ? and (k.project_id, k.key) > (?, ?)
     order by k.project_id, k.key limit ?`,
    [tenantId, after.project_id, after.key, count],
  )
