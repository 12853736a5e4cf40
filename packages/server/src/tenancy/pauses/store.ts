import type { Sql } from '../../db/port.js'

/** What can be paused, by what identifies it in its tenant. */
const idColumns = { tenants: 'tenant_id', projects: 'id', api_keys: 'id' } as const
type PausedTable = keyof typeof idColumns

interface Mention {
  table: PausedTable
  id: string
  paused: string
}

/** The pauses whose text contains an id. */
export const listMentions = async (db: Sql, tenantId: string, id: string): Promise<Mention[]> => {
  const found: Mention[] = []
  for (const table of Object.keys(idColumns) as PausedTable[]) {
    const rows = await db.all<{ id: string; paused: string }>(
      `select ${idColumns[table]} as id, paused from ${table} where tenant_id = ? and paused like ?`,
      [tenantId, `%"${id}"%`],
    )
    found.push(...rows.map((row) => ({ table, ...row })))
  }
  return found
}

export const rewritePaused = async (
  db: Sql,
  tenantId: string,
  table: PausedTable,
  id: string,
  paused: string,
): Promise<void> => {
  await db.run(`update ${table} set paused = ? where tenant_id = ? and ${idColumns[table]} = ?`, [paused, tenantId, id])
}
