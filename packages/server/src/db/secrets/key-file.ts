import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseSecretKeys, type SecretKey } from '../../base/secret-key.js'
import { makeFolders } from '../data-folder.js'

const keyFileName = 'secret.key'

interface KeyFile {
  path: string
  /** The keys in it, the newest first; none where there is no file. */
  read(): SecretKey[]
  /** Writes a new file; one that another process has just written stays. */
  create(key: SecretKey): void
  replace(keys: readonly SecretKey[]): void
}

const isPrivate = (path: string): boolean => process.platform === 'win32' || (statSync(path).mode & 0o077) === 0

const unreadable =
  'must be readable by the user of the service: chown it to that user, or set WORKLORE_SECRET_KEY to the key in it'

/** A file in the data folder that only its owner can read. */
export const keyFileIn = (dataDir: string): KeyFile => {
  const path = join(dataDir, keyFileName)

  const writeBeside = (keys: readonly SecretKey[]): string => {
    const temporary = `${path}.${process.pid}`
    makeFolders(dataDir)
    rmSync(temporary, { force: true })
    const file = openSync(temporary, 'wx', 0o600)
    writeSync(file, keys.map(({ bytes }) => `${bytes.toString('base64')}\n`).join(''))
    fsyncSync(file)
    closeSync(file)
    return temporary
  }

  return {
    path,
    read: () => {
      try {
        if (!isPrivate(path)) throw new Error(`must be readable by its owner only: chmod 600 ${path}`)
        return parseSecretKeys(readFileSync(path, 'utf8'))
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') return []
        throw new Error(`${path} ${code === 'EACCES' ? unreadable : message}`, { cause: error })
      }
    },
    create: (key) => {
      try {
        const temporary = writeBeside([key])
        try {
          linkSync(temporary, path)
        } finally {
          rmSync(temporary)
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
        throw new Error(`${path} could not be written. Set WORKLORE_SECRET_KEY, or make the folder writable.`, {
          cause: error,
        })
      }
    },
    replace: (keys) => renameSync(writeBeside(keys), path),
  }
}
