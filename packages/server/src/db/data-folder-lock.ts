import { join } from 'node:path'
import { createDataFolder } from './data-folder.js'

/** How long a service that is just ending may still hold the lock. */
const waitMs = 2_000

/**
 * Keeps a second service out of a data folder: it would count limits by itself. The lock is one of the operating
 * system's on a file, held by an open transaction, and goes with the process however that ends. Commands that only
 * read or write records do not need it. Answers how to let go of it, or undefined where another process has it.
 */
export const tryLockDataFolder = async (dataDir: string, timeoutMs = waitMs): Promise<(() => void) | undefined> => {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  createDataFolder(dataDir)
  const lock = new DatabaseSync(join(dataDir, 'serving.lock'), { timeout: timeoutMs })
  try {
    lock.exec('begin exclusive')
  } catch {
    lock.close()
    return undefined
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
