import type { Sql } from './port.js'

/** The few things that the engines say differently, each by its purpose. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** Column type of a text that is compared and sorted by its bytes. */
  readonly keyText: string
  readonly blob: string
  /** Suffix of a select whose rows are to be changed by this transaction. */
  readonly forUpdate: string
  /** Suffix of a select whose rows must stay until this transaction ends. */
  readonly forShare: string
  /** Suffix of a create table whose rows are small and found by their primary key alone. */
  readonly clustered: string
  /** Makes other nodes wait until this transaction ends before they look at the schema. */
  lockMigrations(tx: Sql): Promise<void>
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  keyText: 'text',
  blob: 'blob',
  forUpdate: '',
  forShare: '',
  clustered: ' without rowid',
  // A write transaction already excludes every other.
  lockMigrations: async () => {},
}

export const postgresDialect: Dialect = {
  name: 'postgres',
  keyText: 'text collate "C"',
  blob: 'bytea',
  forUpdate: ' for update',
  forShare: ' for key share',
  clustered: '',
  lockMigrations: async (tx) => {
    await tx.get("select pg_advisory_xact_lock(hashtext('worklore.migrations'))")
  },
}
