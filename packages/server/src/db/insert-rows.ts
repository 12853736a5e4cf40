import type { Columns, Row } from './dialect.js'
import type { Sql, Write } from './port.js'
import { forTenant } from './rows-for-tenant.js'

export const insertRows = (
  db: Sql,
  tenantId: string,
  table: string,
  columns: Columns,
  rows: readonly Row[],
): Write[] => {
  if (rows.length === 0) return []
  const { dialect } = db
  const names = Object.keys(columns)
  const into = `insert into ${table}`
  const target = `${into} (tenant_id, ${names.join(', ')})`
  if (dialect.insertsEach(rows.length)) {
    const text = db.statementText(into, () => `${target} values (?${', ?'.repeat(names.length)})`)
    return rows.map((row) => ({ table, text, params: [tenantId, ...names.map((name) => row[name]!)] }))
  }
  const text = db.statementText(`${into} from JSON`, () => {
    const given = names.map((name) => `given.${name}`).join(', ')
    return `${target} select t.tenant_id, ${given} from ${forTenant(dialect.rowsOf(columns))}`
  })
  return [{ table, text, params: [JSON.stringify(rows), tenantId] }]
}
