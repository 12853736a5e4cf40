import { mkdirSync } from 'node:fs'

/** Only the owner reads or writes a store: it holds the records of every tenant. */
const folderMode = 0o700

export const createDataFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: folderMode })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'it is a file' : message
    throw new Error(`Cannot use ${path} as the data folder: ${reason}. Set WORKLORE_DATA to another one.`, {
      cause: error,
    })
  }
}
