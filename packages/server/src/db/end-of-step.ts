import type { Sql } from './port.js'

/** The key of the last of the next so many rows of a tenant; undefined where there are none. */
export const endOfStep = async <K extends string | number>(
  db: Sql,
  { table, key }: { table: 'events' | 'audit_entries' | 'inbox_entries'; key: 'sequence' | 'id' },
  tenantId: string,
  after: K,
  count: number,
): Promise<K | undefined> => {
  const row = await db.get<{ end: K | null }>(
    `select max(${key}) as "end" from
       (select ${key} from ${table} where tenant_id = ? and ${key} > ? order by ${key} limit cast(? as bigint)) as step`,
    [tenantId, after, count],
  )
  return row?.end ?? undefined
}
