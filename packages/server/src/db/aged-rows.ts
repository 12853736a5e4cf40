import type { Db } from './port.js'

/** Rows that are deleted once they are old. */
export interface AgedRows {
  table: string
  /** The columns of the primary key after `tenant_id`. */
  key: readonly string[]
  /** The column that determines the age of a row. */
  age: string
  /** An additional SQL condition on the rows, without parameters. */
  only?: string
  /** Rows whose `age` is at most this are deleted. */
  upTo(nowMs: number): number | string
}

/** Few enough that other writers wait only briefly. */
const rowsPerStep = 1_000

/** Deletes the old rows of a tenant in short transactions. */
export const deleteAgedRows = async (
  db: Db,
  { table, key, age, only, upTo }: AgedRows,
  tenantId: string,
  nowMs: number,
): Promise<void> => {
  const columns = key.join(', ')
  const old = `from ${table} where tenant_id = ? and ${age} <= ?${only ? ` and ${only}` : ''}`
  const params = [tenantId, upTo(nowMs)]
  if (!(await db.ofTenant(tenantId).get(`select 1 as one ${old} limit 1`, params))) return
  const text = `delete from ${table} where tenant_id = ? and (${columns}) in
    (select ${columns} ${old} order by ${age} limit cast(? as bigint))`
  const deleteSome = () => db.transaction(async (tx) => tx.run(text, [tenantId, ...params, rowsPerStep]), tenantId)
  while ((await deleteSome()) === rowsPerStep);
}
