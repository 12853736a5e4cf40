import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { createDataFolder } from './data-folder.js'
import { isBusy } from './sqlite/errors.js'

/** How long a service that is just ending may still hold the lock. */
const waitMs = 2_000

const notLockable = (path: string, cause: unknown): Error => {
  const { code, message } = cause as NodeJS.ErrnoException
  const reason = code === 'EACCES' ? 'permission denied' : message
  return new Error(
    `Cannot use ${path} to lock the data folder: ${reason}. Make it writable for the user of the service, or set WORKLORE_DATA to another folder.`,
    { cause },
  )
}

/**
 * Keeps a second service out of a data folder: it would count limits by itself. The lock is one of the operating
 * system's on a file, held by an open transaction, and goes with the process however that ends. Commands that only
 * read or write records do not need it. Answers how to let go of it, or undefined where another process has it.
 */
export const tryLockDataFolder = async (dataDir: string, timeoutMs = waitMs): Promise<(() => void) | undefined> => {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  createDataFolder(dataDir)
  const path = join(dataDir, 'serving.lock')
  let lock: DatabaseSyncInstance | undefined
  try {
    // SQLite opens a file that it may not write for reading, and then locks nothing.
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    lock = new DatabaseSync(path, { timeout: timeoutMs })
    lock.exec('begin exclusive')
  } catch (error) {
    lock?.close()
    if (isBusy(error)) return undefined
    throw notLockable(path, error)
  }
  const unlock = (): void => {
    process.off('exit', unlock)
    lock.close()
  }
  // An open connection that nothing refers to would be closed, and the lock with it.
  process.once('exit', unlock)
  return unlock
}

export const lockDataFolder = async (dataDir: string): Promise<() => void> => {
  const unlock = await tryLockDataFolder(dataDir)
  if (unlock) return unlock
  throw new Error(
    `Another process is already using ${dataDir}. Stop it, set WORKLORE_DATA to another folder, or set DATABASE_URL to run several nodes.`,
  )
}
