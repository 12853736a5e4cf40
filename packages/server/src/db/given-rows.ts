import type { Columns, Row } from './dialect.js'
import type { Sql, Statement } from './port.js'

/** Rows that are given, for an insert: `t` is their tenant, whose parameter comes last. So the insert goes to its shard. */
export const forTenant = (given: string): string => `tenants t cross join ${given} where t.tenant_id = ?`

/** A statement that reads from a table `given` of these rows; their parameters come first. Its name is its own. */
export const statementOn = (
  db: Sql,
  name: string,
  columns: Columns,
  rows: readonly Row[],
  textOf: (given: string) => string,
): Statement => {
  const { dialect } = db
  const room = dialect.roomFor(rows.length)
  return {
    text: db.statementText(`${name} ${room}`, () => textOf(dialect.givenRows(columns, room))),
    params: dialect.givenParams(columns, rows, room),
  }
}

export const insertRows = (
  db: Sql,
  tenantId: string,
  table: string,
  columns: Columns,
  rows: readonly Row[],
): Statement[] => {
  if (rows.length === 0) return []
  const { dialect } = db
  const names = Object.keys(columns)
  const into = `insert into ${table}`
  const target = `${into} (tenant_id, ${names.join(', ')})`
  if (dialect.insertsEach(rows.length)) {
    const text = db.statementText(into, () => `${target} values (?${', ?'.repeat(names.length)})`)
    return rows.map((row) => ({ text, params: [tenantId, ...names.map((name) => row[name]!)] }))
  }
  const text = db.statementText(`${into} from JSON`, () => {
    const given = names.map((name) => `given.${name}`).join(', ')
    return `${target} select t.tenant_id, ${given} from ${forTenant(dialect.rowsOf(columns))}`
  })
  return [{ text, params: [JSON.stringify(rows), tenantId] }]
}
