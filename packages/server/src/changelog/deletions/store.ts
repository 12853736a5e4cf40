import { noteDue } from '../../background/note.js'
import type { Sql } from '../../db/port.js'

export type DeletionKind = 'project' | 'user'

export interface Deletion {
  tenantId: string
  kind: DeletionKind
  id: string
  /** Progress for the next step, in the format of the feature that stored it. */
  record: unknown
}

export const insertDeletion = async (db: Sql, deletion: Deletion, nowMs: number): Promise<void> => {
  const { tenantId, kind, id, record } = deletion
  await db.runAll([
    {
      text: 'insert into deletions (tenant_id, kind, id, record, created_at) values (?, ?, ?, ?, ?)',
      params: [tenantId, kind, id, JSON.stringify(record), nowMs],
    },
    ...noteDue(db, { tenantId, kind: 'deletions', dueAtMs: nowMs }, nowMs),
  ])
}

/** The oldest of a tenant. */
export const listDeletions = async (db: Sql, tenantId: string, count: number): Promise<Deletion[]> => {
  const rows = await db.all<{ kind: DeletionKind; id: string; record: string }>(
    'select kind, id, record from deletions where tenant_id = ? order by created_at limit cast(? as bigint)',
    [tenantId, count],
  )
  return rows.map(({ kind, id, record }) => ({ tenantId, kind, id, record: JSON.parse(record) }))
}

export const findOldest = async (db: Sql, tenantId: string): Promise<number | null> => {
  const row = await db.get<{ oldest: number | null }>(
    'select min(created_at) as oldest from deletions where tenant_id = ?',
    [tenantId],
  )
  return row?.oldest ?? null
}

export const hasDeletion = async (db: Sql, tenantId: string, kind: DeletionKind, id: string): Promise<boolean> =>
  (await db.get('select 1 as one from deletions where tenant_id = ? and kind = ? and id = ?', [tenantId, kind, id])) !==
  undefined

export const updateDeletion = async (db: Sql, { tenantId, kind, id, record }: Deletion): Promise<void> => {
  await db.run('update deletions set record = ? where tenant_id = ? and kind = ? and id = ?', [
    ...[JSON.stringify(record), tenantId, kind, id],
  ])
}

export const deleteDeletion = async (
  db: Sql,
  { tenantId, kind, id }: Pick<Deletion, 'tenantId' | 'kind' | 'id'>,
): Promise<void> => {
  await db.run('delete from deletions where tenant_id = ? and kind = ? and id = ?', [tenantId, kind, id])
}
