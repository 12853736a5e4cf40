import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Only the owner reads or writes a store: it holds the records of every tenant. */
const folderMode = 0o700

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** Node's own recursive `mkdir` never ends below a folder that refuses with ENOENT, as /proc does. */
export const makeFolders = (path: string): void => {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolders(parent)
  try {
    mkdirSync(path, { mode: folderMode })
  } catch (error) {
    // Another process may just have made it.
    if (!isFolder(path)) throw error
  }
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EEXIST: 'it is a file',
  ENOENT: 'it cannot be created',
  EROFS: 'its file system is read-only',
}

const adviceFor = (code: string): string =>
  code === 'EACCES'
    ? 'Make it writable for the user of the service, or set WORKLORE_DATA to another one.'
    : 'Set WORKLORE_DATA to another one.'

export const createDataFolder = (path: string): void => {
  try {
    makeFolders(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '', message, path: refused } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' && refused !== path ? `${refused} is a file` : (reasons[code] ?? message)
    throw new Error(`Cannot use ${path} as the data folder: ${reason}. ${adviceFor(code)}`, {
      cause: error,
    })
  }
}
