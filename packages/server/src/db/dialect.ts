import type { Sql } from './port.js'

/** The few things that the engines say differently, each by its purpose. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
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
  /** Several processes may serve from this store at once, so that what they count together is counted in it. */
  readonly isShared: boolean
  /** The store's own clock: milliseconds since 1970. */
  readonly nowMs: string
  /** Selected in a statement, it lets the commit answer before the disk has it; a crash may lose the last second. */
  readonly commitSoon: string
  /** The texts of a group as one, in the order in which its ordered sub-select gives them. */
  joined(text: string, separator: string): string
  /** A table made of one parameter: a JSON array of objects with these fields. */
  rowsOf(columns: Readonly<Record<string, 'text' | 'bigint'>>): string
  /** Makes other nodes wait until this transaction ends before they look at the schema. */
  lockMigrations(tx: Sql): Promise<void>
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  keyText: 'text',
  blob: 'blob',
  forUpdate: '',
  skipLocked: () => '',
  forShare: '',
  clustered: ' without rowid',
  isShared: false,
  nowMs: "cast(unixepoch('subsec') * 1000 as integer)",
  commitSoon: 'null',
  joined: (text, separator) => `group_concat(${text}, '${separator}')`,
  rowsOf: (columns) =>
    `(select ${Object.keys(columns)
      .map((name) => `value ->> '${name}' as ${name}`)
      .join(', ')} from json_each(?)) as given`,
  // A write transaction already excludes every other.
  lockMigrations: async () => {},
}

export const postgresDialect: Dialect = {
  name: 'postgres',
  keyText: 'text collate "C"',
  blob: 'bytea',
  forUpdate: ' for update',
  skipLocked: (table) => ` for update of ${table} skip locked`,
  forShare: ' for key share',
  clustered: '',
  isShared: true,
  nowMs: 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)',
  commitSoon: "set_config('synchronous_commit', 'off', true)",
  joined: (text, separator) => `string_agg(${text}, '${separator}')`,
  // The driver would encode a parameter of type json once more.
  rowsOf: (columns) =>
    `json_to_recordset(cast(cast(? as text) as json)) as given(${Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')})`,
  lockMigrations: async (tx) => {
    await tx.get("select pg_advisory_xact_lock(hashtext('worklore.migrations'))")
  },
}
