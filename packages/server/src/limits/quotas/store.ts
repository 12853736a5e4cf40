import type { Sql } from '../../db/port.js'

export const findStoredBytes = async (db: Sql, tenantId: string): Promise<number | undefined> =>
  (await db.get<{ stored_bytes: number }>('select stored_bytes from tenants where tenant_id = ?', [tenantId]))
    ?.stored_bytes

export const addStoredBytes = async (db: Sql, tenantId: string, bytes: number): Promise<void> => {
  await db.run('update tenants set stored_bytes = stored_bytes + cast(? as bigint) where tenant_id = ?', [
    bytes,
    tenantId,
  ])
}

/** What a node has open for a tenant. */
export const saveOpen = async (
  db: Sql,
  tenantId: string,
  nodeId: string,
  openCount: number,
  nowMs: number,
): Promise<void> => {
  if (openCount === 0) {
    await db.run('delete from open_streams where tenant_id = ? and node_id = ?', [tenantId, nodeId])
    return
  }
  await db.run(
    `insert into open_streams (tenant_id, node_id, open_count, seen_at) values (?, ?, ?, ?)
     on conflict (tenant_id, node_id) do update set open_count = excluded.open_count, seen_at = excluded.seen_at`,
    [tenantId, nodeId, openCount, nowMs],
  )
}

/** What the other nodes that were seen since a time have open. */
export const countOpenElsewhere = async (db: Sql, tenantId: string, nodeId: string, sinceMs: number): Promise<number> =>
  (await db.get<{ count: number }>(
    `select cast(coalesce(sum(open_count), 0) as bigint) as count from open_streams
     where tenant_id = ? and node_id <> ? and seen_at > ?`,
    [tenantId, nodeId, sinceMs],
  ))!.count

export const forgetNodes = async (db: Sql, tenantId: string, unseenSinceMs: number): Promise<void> => {
  await db.run('delete from open_streams where tenant_id = ? and seen_at <= ?', [tenantId, unseenSinceMs])
}
