import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Db, StatementObserver } from './port.js'

export interface OpenOptions {
  observe?: StatementObserver
  /** Whatever must be seen at once is written through this very door, and not by another thread or process. */
  isOnlyWriter?: boolean
}

export interface StoreSettings {
  /** A PostgreSQL address; without it the store is an embedded file in the data folder. */
  databaseUrl: string | undefined
  dataDir: string
  poolSize: number
}

export const sqlitePath = (settings: StoreSettings): string => join(settings.dataDir, 'worklore.db')

/** Opens the store that the settings name; only that engine's driver is loaded. */
export const openDb = async (settings: StoreSettings, options: OpenOptions = {}): Promise<Db> => {
  if (settings.databaseUrl) {
    const { openPostgres } = await import('./postgres.js')
    return openPostgres(settings.databaseUrl, settings.poolSize, options.observe)
  }
  const { openSqlite } = await import('./sqlite.js')
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  return openSqlite(sqlitePath(settings), options)
}
