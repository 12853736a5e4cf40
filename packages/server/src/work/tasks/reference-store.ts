import type { Sql } from '../../db/port.js'
import { ofVisibleProject } from '../../db/project-conditions.js'

export interface ReferencedTask {
  id: string
  projectId: string
  status: string
  openBlockers: number
}

interface Row {
  id: string
  project_id: string
  status: string
  open_blockers: number
}

export const findReferenced = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<ReferencedTask[]> => {
  if (ids.length === 0) return []
  const rows = await db.all<Row>(
    `select id, project_id, status, open_blockers from tasks
     where tenant_id = ? and ${db.dialect.isAmong('id', 'text')} and ${ofVisibleProject('tasks')}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return rows.map(({ id, project_id, status, open_blockers }) => ({
    id,
    projectId: project_id,
    status,
    openBlockers: open_blockers,
  }))
}

export const findByExternalId = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  externalId: string,
): Promise<string | undefined> => {
  const row = await db.get<{ id: string }>(
    'select id from tasks where tenant_id = ? and project_id = ? and external_id = ?',
    [tenantId, projectId, externalId],
  )
  return row?.id
}
