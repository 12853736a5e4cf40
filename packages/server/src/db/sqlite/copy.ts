import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from '@photostructure/sqlite'
import { problemWithStore } from './store-check.js'

/** A writer may hold the store for as long as its transaction lasts. */
const busyTimeoutMs = 10_000
/** All pages in one step: a step that lets go of the source would begin again after each write to it. */
const allPages = 2_147_483_647

/** Makes one file of a database and checks it; answers what is wrong with it. */
const settle = (path: string): string | undefined => {
  const connection = new DatabaseSync(path)
  try {
    connection.exec('pragma journal_mode = delete')
    return problemWithStore(connection)
  } finally {
    connection.close()
  }
}

/**
 * Copies a store that may be in use, as it is at one moment, to a new file that has everything in it and only its owner
 * may read. The file has its name only once it is complete and checked. Answers how many pages were copied.
 */
export const copyStore = async (sourcePath: string, targetPath: string): Promise<number> => {
  const partial = `${targetPath}.partial`
  rmSync(partial, { force: true })
  closeSync(openSync(partial, 'wx', 0o600))
  const source = new DatabaseSync(sourcePath, { timeout: busyTimeoutMs })
  try {
    const pages = await backup(source, partial, { rate: allPages }).catch((error) => {
      throw new Error(`The database ${sourcePath} cannot be read: ${error.message}.`, { cause: error })
    })
    const problem = settle(partial)
    if (problem) throw new Error(`The database ${sourcePath} cannot be copied: ${problem}.`)
    if (existsSync(targetPath)) throw new Error(`${targetPath} already exists. Choose another name, or remove it.`)
    renameSync(partial, targetPath)
    return pages
  } finally {
    source.close()
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
  }
}
