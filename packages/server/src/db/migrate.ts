import type { Migration } from './migration.js'
import { migrations } from './migrations/index.js'
import type { Db, Sql } from './port.js'

export const migrationsTable =
  'create table if not exists schema_migrations (version bigint primary key, name text not null, applied_at bigint not null)'

const knownVersion = (list: readonly Migration[]): number => list.at(-1)?.version ?? 0

const appliedVersion = async (sql: Sql): Promise<number> =>
  (await sql.get<{ version: number | null }>('select max(version) as version from schema_migrations'))?.version ?? 0

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
    await next.fill?.(tx)
    await tx.dialect.checkForeignKeys(tx)
    await tx.dialect.distributeTables(tx, next.version === knownVersion(list))
    await tx.run('insert into schema_migrations (version, name, applied_at) values (?, ?, ?)', [
      next.version,
      next.name,
      Date.now(),
    ])
    if (next.minVersion !== undefined) {
      const text = 'update schema_migrations set min_version = ? where version = ?'
      await tx.run(text, [next.minVersion, next.version])
    }
    return next
  })

/** Brings the schema up to date, one migration a transaction under a lock; answers the names of those applied. */
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
