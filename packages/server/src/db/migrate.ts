import type { Migration } from './migration.js'
import { migrations } from './migrations/index.js'
import type { Db, Sql } from './port.js'

export const migrationsTable = `create table if not exists schema_migrations (
    version bigint primary key,
    name text not null,
    applied_at bigint not null,
    -- The oldest version whose programs work with this one; null for none but this.
    min_version bigint
  )`

/** Explains how to move the data of a database that an unreleased version created. */
export const unreleasedSchema =
  'its schema is that of an unreleased version of Worklore, which this version cannot read. To keep the data, export each tenant with the old version ("wl export"), start this version with a new database and import the files ("wl import")'

const knownVersion = (list: readonly Migration[]): number => list.at(-1)?.version ?? 0

const appliedVersion = async (sql: Sql): Promise<number> =>
  (await sql.get<{ version: number | null }>('select max(version) as version from schema_migrations'))?.version ?? 0

/** Whether the schema was created by migrations that are not in the list. */
const isUnreleased = async (sql: Sql, list: readonly Migration[]): Promise<boolean> => {
  const row = await sql.get<{ name: string }>('select name from schema_migrations order by version limit 1')
  return row !== undefined && row.name !== list[0]?.name
}

/** Whether a program that knows the schema up to a version works on one that later migrations have changed. */
const isCompatible = async (sql: Sql, known: number): Promise<boolean> => {
  const row = await sql.get<{ min_version: number | null }>(
    'select max(coalesce(min_version, version)) as min_version from schema_migrations where version > ?',
    [known],
  )
  return (row?.min_version ?? 0) <= known
}

const applyNext = (db: Db, list: readonly Migration[]): Promise<Migration | undefined> =>
  db.migrationTransaction(async (tx) => {
    await tx.dialect.lockMigrations(tx)
    await tx.run(migrationsTable)
    if (await isUnreleased(tx, list)) throw new Error(`This database cannot be used: ${unreleasedSchema}.`)
    const applied = await appliedVersion(tx)
    if (applied > knownVersion(list)) {
      if (await isCompatible(tx, knownVersion(list))) return undefined
      throw new Error(
        `The database schema is at version ${applied}, but this program supports versions up to ${knownVersion(list)}. Use the newer program.`,
      )
    }
    const next = list.find((migration) => migration.version > applied)
    if (!next) return undefined
    for (const statement of next.statements(tx.dialect)) await tx.run(statement)
    await tx.dialect.checkForeignKeys(tx)
    await tx.dialect.distributeTables(tx, next.version === knownVersion(list))
    await tx.run('insert into schema_migrations (version, name, applied_at, min_version) values (?, ?, ?, ?)', [
      next.version,
      next.name,
      Date.now(),
      next.minVersion ?? null,
    ])
    return next
  })

/** Applies the missing migrations under a lock, each in a transaction of its own, and returns their names. */
export const migrate = async (db: Db, list: readonly Migration[] = migrations): Promise<string[]> => {
  const applied: string[] = []
  for (let next = await applyNext(db, list); next; next = await applyNext(db, list)) applied.push(next.name)
  return applied
}

export const isMigrated = async (db: Db): Promise<boolean> => {
  const known = knownVersion(migrations)
  const applied = await appliedVersion(db)
  return applied === known || (applied > known && (await isCompatible(db, known)))
}
