import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Keeps a second service out of a data folder: it would count limits by itself. The lock is one of the operating
 * system's on a file, held by an open transaction, and goes with the process however that ends. The command line does
 * not need it.
 */
export const lockDataFolder = async (dataDir: string): Promise<void> => {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(dataDir, 'serving.lock'), { timeout: 2_000 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw new Error(
      `The folder ${dataDir} is served by another process already. Stop that one, set WORKLORE_DATA to another folder, or set DATABASE_URL to run several nodes.`,
      { cause: error },
    )
  }
  held.add(lock)
}

/** An open connection that nothing refers to would be closed, and the lock with it. */
const held = new Set<unknown>()
