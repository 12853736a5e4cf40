import type { Sql } from '../db/port.js'

/** What an event says has changed, without the change itself. */
export interface LoggedChange {
  sequence: number
  id: string
  type: string
  project_id: string
  /** The id of the record, or of the record that it is part of. */
  record: string
  created_at: number
}

/** The last event of a tenant, and the id of the one at a sequence, where it is still kept. */
export const findLogState = async (
  db: Sql,
  tenantId: string,
  sequence: number,
): Promise<{ newest: number; entryId: string | null } | undefined> =>
  db.get(
    `select last_sequence as newest,
       (select id from events e where e.tenant_id = :tenant and e.sequence = ?) as "entryId"
     from tenants t where t.tenant_id = ?`,
    [sequence, tenantId],
  )

export const listChangesAfter = async (
  db: Sql,
  tenantId: string,
  sequence: number,
  count: number,
): Promise<LoggedChange[]> =>
  db.all(
    `select sequence, id, type, project_id, coalesce(item_id, about) as record, created_at from events where tenant_id = ? and sequence > ?
     order by sequence limit cast(? as bigint)`,
    [tenantId, sequence, count],
  )
