import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Scheduler } from '../scheduling/scheduler.js'
import { createDataFolder } from './data-folder.js'
import type { Db, StatementObserver } from './port.js'

export interface OpenOptions {
  observe?: StatementObserver
  /** Whatever must be seen at once is written through this connection, and not by another thread or process. */
  isOnlyWriter?: boolean
  /** Resumes callers that wait for the store, taking turns between tenants. Without it, they resume at once. */
  scheduler?: Scheduler
}

export interface StoreSettings {
  /** A PostgreSQL address; without it the store is an embedded file in the data folder. */
  databaseUrl: string | undefined
  /** Where nodes notify each other; the same address without it. */
  listenUrl?: string | undefined
  dataDir: string
  poolSize: number
}

export const sqlitePath = (settings: StoreSettings): string => join(settings.dataDir, 'worklore.db')

/** Only the owner reads or writes a store: it holds the records of every tenant. */
const fileMode = 0o600

/** SQLite gives its write-ahead log the mode of the database. */
const prepareFile = (path: string): void => {
  closeSync(openSync(path, 'a', fileMode))
  if (process.platform !== 'win32' && statSync(path).mode & 0o077) chmodSync(path, fileMode)
}

const hasEmbeddedStore = (path: string): boolean => existsSync(path) && statSync(path).size > 0

/** Refuses settings that name an embedded store where there is none; opening it would create one. */
export const expectStore = (settings: StoreSettings): void => {
  if (settings.databaseUrl || hasEmbeddedStore(sqlitePath(settings))) return
  throw new Error(
    `No database found at ${sqlitePath(settings)}. Set WORKLORE_DATA to its folder, or create one with "worklore serve" or "worklore migrate".`,
  )
}

/** Opens the store that the settings name; only that engine's driver is loaded. An embedded one is created if needed. */
export const openDb = async (settings: StoreSettings, options: OpenOptions = {}): Promise<Db> => {
  if (settings.databaseUrl) {
    const { openPostgres } = await import('./postgres/database.js')
    return openPostgres(settings.databaseUrl, settings.poolSize, settings.listenUrl, options)
  }
  const { openSqlite } = await import('./sqlite/database.js')
  createDataFolder(settings.dataDir)
  const path = sqlitePath(settings)
  try {
    prepareFile(path)
    return openSqlite(path, options)
  } catch (error) {
    throw new Error(`Cannot open the database ${path}: ${(error as Error).message}.`, { cause: error })
  }
}
