import { DatabaseSync } from '@photostructure/sqlite'
import { sqliteDialect } from '../dialect.js'
import { migrationsTable, unreleasedSchema } from '../migrate.js'
import { migrations } from '../migrations/index.js'

type Connection = InstanceType<typeof DatabaseSync>

export const knownSchemaVersion = migrations.at(-1)!.version

const ofUs = "name not like 'sqlite\\_%' escape '\\'"

export const tableNames = (connection: Connection): string[] =>
  (
    connection.prepare(`select name from sqlite_schema where type = 'table' and ${ofUs} order by name`).all() as {
      name: string
    }[]
  ).map(({ name }) => name)

/** Every table, index, view and trigger by its name, and the columns of each table in their order. */
const structureOf = (connection: Connection): string => {
  const parts = connection
    .prepare(`select type, name, tbl_name from sqlite_schema where ${ofUs} order by type, name`)
    .all()
  const columns = tableNames(connection).map((table) =>
    connection.prepare(`select name, type, "notnull", pk from pragma_table_info(?)`).all(table),
  )
  return JSON.stringify([parts, columns])
}

/** The structure that our own migrations give to a store of this version. */
const expectedStructure = (version: number): string => {
  const connection = new DatabaseSync(':memory:')
  try {
    connection.exec(migrationsTable)
    for (const migration of migrations.filter((each) => each.version <= version)) {
      for (const statement of migration.statements(sqliteDialect)) connection.exec(statement)
    }
    return structureOf(connection)
  } finally {
    connection.close()
  }
}

const isUnreleased = (connection: Connection): boolean => {
  const row = connection.prepare('select name from schema_migrations order by version limit 1').get()
  return (row as { name: string }).name !== migrations[0]!.name
}

export const schemaVersionOf = (connection: Connection): number => {
  if (!tableNames(connection).includes('schema_migrations')) return 0
  const row = connection.prepare('select max(version) as version from schema_migrations').get() as {
    version: number | null
  }
  return row.version ?? 0
}

const problemWithPages = (connection: Connection): string | undefined => {
  const [row] = connection.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[]
  if (row?.integrity_check !== 'ok') return `it is damaged: ${row?.integrity_check}`
  if (connection.prepare('pragma foreign_key_check').all().length > 0) return 'it is damaged: records are missing'
  return undefined
}

/** Records are stored as JSON, most of them without the closing brace that their reader adds. */
const jsonColumns: readonly [table: string, json: string][] = [
  ['tasks', "doc || '}'"],
  ['knowledge', "meta || '}'"],
  ['knowledge', 'content'],
  ['comments', 'doc'],
  ['questions', 'doc'],
  ['events', 'data'],
]

const problemWithRecords = (connection: Connection): string | undefined => {
  const tables = tableNames(connection)
  for (const [table, json] of jsonColumns) {
    if (!tables.includes(table)) continue
    const broken = connection.prepare(`select 1 from ${table} where not json_valid(${json}) limit 1`).get()
    if (broken) return `it is damaged: a record of ${table} cannot be read`
  }
  return undefined
}

/** Why a database is not a sound Worklore store that this program can read; undefined where it is one. */
export const problemWithStore = (connection: Connection): string | undefined => {
  try {
    connection.exec('pragma trusted_schema = off; pragma cell_size_check = on')
    const damage = problemWithPages(connection)
    if (damage) return damage
    const version = schemaVersionOf(connection)
    if (version === 0) return 'it is not a Worklore database'
    if (isUnreleased(connection)) return unreleasedSchema
    if (version > knownSchemaVersion)
      return `its schema is at version ${version}, but this program supports versions up to ${knownSchemaVersion}; use the newer program`
    if (structureOf(connection) !== expectedStructure(version)) return 'its tables are not those of a Worklore database'
    if (!connection.prepare('select 1 from tenants limit 1').get()) return 'it has no tenant'
    return problemWithRecords(connection)
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`
  }
}

/** The schema version of a store's file, and why it is not a sound one. */
export const inspectStore = (path: string): { version: number; problem: string | undefined } => {
  const connection = new DatabaseSync(path)
  try {
    const problem = problemWithStore(connection)
    return { version: problem ? 0 : schemaVersionOf(connection), problem }
  } finally {
    connection.close()
  }
}

/** What a store's file answers; nothing where it cannot be read. */
const rowsOf = <R>(path: string, query: string): R[] => {
  const connection = new DatabaseSync(path, { timeout: 5_000 })
  try {
    return connection.prepare(query).all() as R[]
  } catch {
    return []
  } finally {
    connection.close()
  }
}

/** The highest sequence of each tenant that a store's file knows. */
export const sequencesOf = (path: string): Map<string, number> => {
  const rows = rowsOf<{ tenant_id: string; last_sequence: number }>(
    path,
    'select tenant_id, last_sequence from tenants',
  )
  return new Map(rows.map(({ tenant_id, last_sequence }) => [tenant_id, last_sequence]))
}

/** By tenant, the users who were erased, as far as a store's file knows. */
export const erasedUsersOf = (path: string): Map<string, string[]> => {
  const erased = new Map<string, string[]>()
  for (const row of rowsOf<{ tenant_id: string; user_id: string }>(path, 'select tenant_id, user_id from erasures'))
    erased.set(row.tenant_id, [...(erased.get(row.tenant_id) ?? []), row.user_id])
  return erased
}
