import type { Columns, Row } from './dialect.js'
import type { Sql, Statement } from './port.js'

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
