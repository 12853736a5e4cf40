import type { Columns, Row } from './dialect.js'
import type { Sql, Write } from './port.js'

export const insertRows = (
  db: Sql,
  tenantId: string,
  table: string,
  columns: Columns,
  rows: readonly Row[],
): Write[] => {
  if (rows.length === 0) return []
  const text = db.statementText(`insert into ${table}`, () => db.dialect.insertInto(table, columns))
  return db.dialect.insertParams(tenantId, columns, rows).map((params) => ({ table, text, params }))
}
