import { closeSync, copyFileSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { copyStore } from './copy.js'
import { isBusy } from './errors.js'
import { knownSchemaVersion, schemaVersionOf, tableNames } from './store-check.js'

/** Longer than any transaction of the service. */
const lockTimeoutMs = 20_000
/** Long enough for a command that is just ending. */
const aloneTimeoutMs = 500

/**
 * Whether no one has the database open, this process included: the driver keeps it open while a statement of it is
 * about. Leaving the write-ahead log needs the database for oneself, and puts all of the log into the file. A file that
 * SQLite cannot read is in nobody's use.
 */
export const isUnused = (path: string): boolean => {
  const connection = new DatabaseSync(path, { timeout: aloneTimeoutMs })
  try {
    connection.exec('pragma journal_mode = delete')
    return true
  } catch (error) {
    return !isBusy(error)
  } finally {
    connection.close()
  }
}

const syncFolder = (folder: string): void => {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

const linkOrCopy = (path: string, other: string): void => {
  try {
    linkSync(path, other)
  } catch {
    copyFileSync(path, other)
  }
}

/** Puts a staged store in place of one that is not in use, in an order in which a crash leaves the old store or the new one, and never none. */
export const replaceFile = (path: string, stagedPath: string, keptPath: string): void => {
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, keptPath + suffix)
  linkOrCopy(path, keptPath)
  syncFolder(dirname(path))
  renameSync(stagedPath, path)
  syncFolder(dirname(path))
}

/**
 * Puts the rows of one store in place of those of another that is in use, in one transaction. No one writes between the
 * copy that is kept and the change.
 */
export const replaceRows = async (path: string, stagedPath: string, keptPath: string): Promise<void> => {
  const connection = new DatabaseSync(path, { timeout: lockTimeoutMs, enableForeignKeyConstraints: false })
  try {
    if (schemaVersionOf(connection) !== knownSchemaVersion) throw new Error('its schema has another version')
    connection.exec('pragma synchronous = full; pragma secure_delete = on')
    connection.prepare('attach ? as staged').run(stagedPath)
    connection.exec('begin immediate')
    await copyStore(path, keptPath)
    for (const table of tableNames(connection)) {
      connection.exec(`delete from main."${table}"; insert into main."${table}" select * from staged."${table}"`)
    }
    connection.exec('commit')
  } catch (error) {
    if (connection.isTransaction) {
      connection.exec('rollback')
      rmSync(keptPath, { force: true })
    }
    throw new Error(
      `The database ${path} is in use and cannot be replaced now: ${(error as Error).message}. Nothing was changed. Stop the service and run the command again.`,
      { cause: error },
    )
  } finally {
    connection.close()
  }
}
