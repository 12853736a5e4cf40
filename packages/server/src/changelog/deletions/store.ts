import type { Sql } from '../../db/port.js'

export type DeletionKind = 'project' | 'user'

export interface Deletion {
  tenantId: string
  kind: DeletionKind
  id: string
  /** The record that is being deleted. */
  record: unknown
}

export const insertDeletion = async (db: Sql, deletion: Deletion, nowMs: number): Promise<void> => {
  const { tenantId, kind, id, record } = deletion
  await db.run('insert into deletions (tenant_id, kind, id, record, created_at) values (?, ?, ?, ?, ?)', [
    ...[tenantId, kind, id, JSON.stringify(record), nowMs],
  ])
}

/** The look of the service's own rounds, which goes over all tenants. */
export const listDeletions = async (db: Sql, count: number): Promise<Deletion[]> => {
  const rows = await db.all<{ tenant_id: string; kind: DeletionKind; id: string; record: string }>(
    'select tenant_id, kind, id, record from deletions order by created_at limit cast(? as bigint)',
    [count],
  )
  return rows.map(({ tenant_id, kind, id, record }) => ({ tenantId: tenant_id, kind, id, record: JSON.parse(record) }))
}

export const hasDeletion = async (db: Sql, tenantId: string, kind: DeletionKind, id: string): Promise<boolean> =>
  (await db.get('select 1 as one from deletions where tenant_id = ? and kind = ? and id = ?', [tenantId, kind, id])) !==
  undefined

export const deleteDeletion = async (
  db: Sql,
  { tenantId, kind, id }: Pick<Deletion, 'tenantId' | 'kind' | 'id'>,
): Promise<void> => {
  await db.run('delete from deletions where tenant_id = ? and kind = ? and id = ?', [tenantId, kind, id])
}
