import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createDataFolder } from '../../db/data-folder.js'
import { tryLockDataFolder } from '../../db/data-folder-lock.js'
import { migrate } from '../../db/migrate.js'
import { type StoreSettings, sqlitePath } from '../../db/open.js'
import { copyStore } from '../../db/sqlite/copy.js'
import { openSqlite } from '../../db/sqlite/database.js'
import { problemWithFile } from '../../db/sqlite/file.js'
import { isUnused, replaceFile, replaceRows } from '../../db/sqlite/replace.js'
import { erasedUsersOf, inspectStore, knownSchemaVersion, sequencesOf } from '../../db/sqlite/store-check.js'
import { afterRestore } from './after-restore.js'

interface Restored {
  tenants: number
  fromVersion: number
  toVersion: number
  /** Where the replaced store is kept; undefined where there was none. */
  keptPath: string | undefined
}

/** A service that runs does not let go within this time, and one that is just ending has. */
const lockTimeoutMs = 500

const refuse = (file: string, problem: string): never => {
  throw new Error(`${file} cannot be restored: ${problem}. Nothing was changed.`)
}

const datedPath = (dataDir: string): string => {
  const time = new Date().toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  for (let count = 1; ; count++) {
    const path = join(dataDir, `worklore-${time}${count === 1 ? '' : `-${count}`}.db`)
    if (!existsSync(path)) return path
  }
}

const scratchPrefix = '.restore-'
/** No restore takes as long: what is older was left behind by one that was killed. */
const leftAfterMs = 24 * 3_600_000

const makeScratch = (dataDir: string): string => {
  for (const name of readdirSync(dataDir).filter((name) => name.startsWith(scratchPrefix))) {
    const path = join(dataDir, name)
    if (Date.now() - statSync(path).mtimeMs > leftAfterMs) rmSync(path, { recursive: true, force: true })
  }
  return mkdtempSync(join(dataDir, scratchPrefix))
}

/**
 * Brings a checked copy up to this program's schema and makes it safe to serve in place of another; answers how many
 * tenants it has.
 */
const prepare = async (path: string, replacedPath: string | undefined): Promise<number> => {
  const db = openSqlite(path)
  try {
    await migrate(db)
    if (replacedPath === undefined) return await afterRestore(db)
    return await afterRestore(db, sequencesOf(replacedPath), erasedUsersOf(replacedPath))
  } finally {
    await db.close()
  }
}

/**
 * Puts a backup in place of the embedded store. Everything that can fail is done on a copy before the store is touched.
 */
export const restoreStore = async (settings: StoreSettings, file: string): Promise<Restored> => {
  const target = sqlitePath(settings)
  if (existsSync(target) && resolve(file) === resolve(target)) refuse(file, 'it is the database in use')
  const problem = problemWithFile(file)
  if (problem) refuse(file, problem)
  createDataFolder(settings.dataDir)
  const scratch = makeScratch(settings.dataDir)
  try {
    const copy = join(scratch, 'copy.db')
    const staged = join(scratch, 'staged.db')
    copyFileSync(file, copy)
    chmodSync(copy, 0o600)
    const { version: fromVersion, problem } = inspectStore(copy)
    if (problem) refuse(file, problem)

    const unlock = await tryLockDataFolder(settings.dataDir, lockTimeoutMs)
    try {
      const isReplacing = existsSync(target)
      const isInUse = isReplacing && (unlock === undefined || !isUnused(target))
      const tenants = await prepare(copy, isReplacing ? target : undefined)
      // Once more in one file, and checked as it will be served.
      await copyStore(copy, staged)
      const keptPath = isReplacing ? datedPath(settings.dataDir) : undefined
      if (!keptPath) renameSync(staged, target)
      else if (isInUse) await replaceRows(target, staged, keptPath)
      else replaceFile(target, staged, keptPath)
      return { tenants, fromVersion, toVersion: knownSchemaVersion, keptPath }
    } finally {
      unlock?.()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
