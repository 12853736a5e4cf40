import type { Sql, Value } from './port.js'
import { distributeMigrated } from './postgres/citus.js'

export type Columns = Readonly<Record<string, 'text' | 'bigint'>>
export type Row = Readonly<Record<string, string | number | null>>

/** The few things that the engines say differently, each by its purpose. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** Selects the names of a table's primary key columns in their order; the parameter is the table. */
  readonly primaryKeyColumns: string
  /** Its name in OpenTelemetry's conventions. */
  readonly systemName: string
  /** Column type of a text that is compared and sorted by its bytes. */
  readonly keyText: string
  readonly blob: string
  /** Suffix of a select whose rows are to be changed by this transaction. */
  readonly forUpdate: string
  /** Suffix of a select that takes rows of one table for itself and passes over those that another has taken. */
  skipLocked(table: string): string
  /** Suffix of a select whose rows must stay until this transaction ends. */
  readonly forShare: string
  /** Suffix of a create table whose rows are small and found by their primary key alone. */
  readonly clustered: string
  /**
   * Returns the clause of a foreign key to a row that each insert reads or writes anyway. Returns an empty string on
   * PostgreSQL, which would check the key with an additional query for each inserted row.
   */
  referenceIfCheap(clause: string): string
  /** Several processes may serve from this store at once, so that what they count together is counted in it. */
  readonly isShared: boolean
  /** The store's own clock: milliseconds since 1970. */
  readonly nowMs: string
  /** Selected in a statement, it lets the commit answer before the disk has it; a crash may lose the last second. */
  readonly commitSoon: string
  /**
   * Joins the rows of a table that have this key, found by nothing but the key: other conditions on it could lead
   * PostgreSQL to scan the table once for each row that it is joined to, and SQLite to begin with that table.
   */
  joinByKey(table: string, alias: string, key: Readonly<Record<string, string>>): string
  /** The texts of a group as one, in the order in which its ordered sub-select gives them. */
  joined(text: string, separator: string): string
  /**
   * Bounds a query, which a limit may follow that is a parameter. PostgreSQL takes such a limit for a tenth of all rows, and
   * plans each call anew to do better.
   */
  atMost(query: string, rows: number): string
  /** A condition: the column is one of the values in one parameter, made by `listOf`. */
  isAmong(column: string, type: 'text' | 'bigint'): string
  listOf(values: readonly (string | number)[]): string
  /** Returns a text with its ASCII letters, and no others, in lower case. */
  asciiLower(text: string): string
  /** A field of a JSON text, as JSON text. */
  jsonField(json: string, name: string): string
  /** A table of the elements of a JSON array in a text, each as `element.value`. */
  jsonElements(json: string): string
  /** A table made of one parameter: a JSON array of objects with these fields. */
  rowsOf(columns: Columns): string
  /**
   * The same of rows of which there are few, for a statement that is run often: a table with room for so many, and its
   * parameters. The room is rounded up, so that there are few statements; rows that are left over are null.
   */
  roomFor(rows: number): number
  givenRows(columns: Columns, room: number): string
  givenParams(columns: Columns, rows: readonly Row[], room: number): Value[]
  /** Whether so many rows are inserted by a statement each, with a parameter for each value. */
  insertsEach(rows: number): boolean
  /** Makes other nodes wait until this transaction ends before they look at the schema. */
  lockMigrations(tx: Sql): Promise<void>
  /** Throws where a migration left a row that refers to none; only an engine that did not check meanwhile looks. */
  checkForeignKeys(tx: Sql): Promise<void>
  /** Spreads the tables that a migration created over the machines of the store, where it has several. */
  distributeTables(tx: Sql, isLastMigration: boolean): Promise<void>
}

const keyCondition = (table: string, key: Readonly<Record<string, string>>): string =>
  Object.entries(key)
    .map(([column, value]) => `${table}.${column} = ${value}`)
    .join(' and ')

/** Rows beyond it are handed over as JSON, which has no bound. */
const maxRoom = 256
const roomOfJson = 0

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  primaryKeyColumns: 'select name from pragma_table_info(?) where pk > 0 order by pk',
  systemName: 'sqlite',
  keyText: 'text',
  blob: 'blob',
  forUpdate: '',
  skipLocked: () => '',
  forShare: '',
  clustered: ' without rowid',
  referenceIfCheap: (clause) => clause,
  isShared: false,
  nowMs: "cast(unixepoch('subsec') * 1000 as integer)",
  commitSoon: 'null',
  joinByKey: (table, alias, key) => `cross join ${table} ${alias} on ${keyCondition(alias, key)}`,
  joined: (text, separator) => `group_concat(${text}, '${separator}')`,
  atMost: (query) => query,
  isAmong: (column) => `${column} in (select value from json_each(?))`,
  listOf: JSON.stringify,
  asciiLower: (text) => `lower(${text})`,
  jsonField: (json, name) => `((${json}) -> '$.${name}')`,
  jsonElements: (json) => `json_each(${json}) element`,
  rowsOf: (columns) =>
    `(select ${Object.keys(columns)
      .map((name) => `value ->> '${name}' as ${name}`)
      .join(', ')} from json_each(?)) as given`,
  // Reading values from parameters takes a third of the time of reading them from a JSON text.
  roomFor: (rows) => (rows > maxRoom ? roomOfJson : 2 ** Math.ceil(Math.log2(Math.max(1, rows)))),
  givenRows: (columns, room) => {
    if (room === roomOfJson) return sqliteDialect.rowsOf(columns)
    const names = Object.keys(columns)
    const row = `(?${', ?'.repeat(names.length - 1)})`
    return `(select ${names.map((name, at) => `column${at + 1} as ${name}`).join(', ')}
      from (values ${row}${`, ${row}`.repeat(room - 1)})) as given`
  },
  givenParams: (columns, rows, room) => {
    if (room === roomOfJson) return [JSON.stringify(rows)]
    const names = Object.keys(columns)
    const params = new Array<Value>(room * names.length).fill(null)
    let at = 0
    for (const row of rows) for (const name of names) params[at++] = row[name]!
    return params
  },
  // Row by row: SQLite reads the JSON text of a row once for each of its columns.
  insertsEach: () => true,
  // A write transaction already excludes every other.
  lockMigrations: async () => {},
  checkForeignKeys: async (tx) => {
    const [broken] = await tx.all<{ table: string; parent: string }>('pragma foreign_key_check')
    if (broken) throw new Error(`The migration broke a foreign key of ${broken.table} to ${broken.parent}`)
  },
  distributeTables: async () => {},
}

export const postgresDialect: Dialect = {
  name: 'postgres',
  primaryKeyColumns: `select a.attname as name from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = cast(cast(? as text) as regclass) and i.indisprimary
    order by array_position(cast(i.indkey as int2[]), a.attnum)`,
  systemName: 'postgresql',
  keyText: 'text collate "C"',
  blob: 'bytea',
  forUpdate: ' for update',
  skipLocked: (table) => ` for update of ${table} skip locked`,
  forShare: ' for key share',
  clustered: '',
  referenceIfCheap: () => '',
  isShared: true,
  nowMs: 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)',
  commitSoon: "set_config('synchronous_commit', 'off', true)",
  joinByKey: (table, alias, key) =>
    `cross join lateral (select * from ${table} k where ${keyCondition('k', key)} offset 0) ${alias}`,
  joined: (text, separator) => `string_agg(${text}, '${separator}')`,
  atMost: (query, rows) => `select * from (${query} limit ${rows}) bounded`,
  // A parameter that is an array is planned with its values, as one that is made of JSON is not.
  isAmong: (column, type) => `${column} = any(cast(? as ${type}[]))`,
  listOf: (values) => `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
  asciiLower: (text) => `lower(${text} collate "C")`,
  jsonField: (json, name) => `cast(cast(${json} as json) -> '${name}' as text)`,
  jsonElements: (json) => `json_array_elements(cast(${json} as json)) element(value)`,
  // The driver would encode a parameter of type json once more.
  rowsOf: (columns) =>
    `json_to_recordset(cast(cast(? as text) as json)) as given(${Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')})`,
  roomFor: () => roomOfJson,
  givenRows: (columns) => postgresDialect.rowsOf(columns),
  givenParams: (_columns, rows) => [JSON.stringify(rows)],
  // The rows of a JSON text take as long as the insert of one.
  insertsEach: (rows) => rows === 1,
  lockMigrations: async (tx) => {
    await tx.get("select pg_advisory_xact_lock(hashtext('worklore.migrations'))")
  },
  checkForeignKeys: async () => {},
  distributeTables: async () => {},
}

/** Citus refuses an update with a volatile function such as `clock_timestamp`. */
export const citusDialect: Dialect = {
  ...postgresDialect,
  nowMs: 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)',
  distributeTables: distributeMigrated,
}
