import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { conflictName, isIgnored } from './paths.js'
import type { FileStat } from './state.js'

export interface LocalFile {
  hash: string
  stat: FileStat
  /** Whether a later change would change its times. */
  isSettled: boolean
}

export const hashOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url')

export const statOf = ({ size, mtimeMs, ctimeMs }: Stats): FileStat => [size, mtimeMs, ctimeMs]

export const sameStat = (a: FileStat | undefined, b: FileStat): boolean =>
  a?.every((each, at) => each === b[at]) === true

/** Why a file was left as it is. */
export class FileSkipped extends Error {}

/** The file was changed since it was read: it is looked at again. */
export class FileChanged extends Error {}

const temporaryStart = '.wl-sync-'

/** Left by a run that was killed. */
export const isTemporary = (name: string): boolean => name.startsWith(temporaryStart)

const lookAt = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false })

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '')

/** Changes files of a folder, each of them whole or not at all, and nothing outside of it. */
export const createFolder = (root: string) => {
  const checkParents = (path: string, isMade: boolean): void => {
    const names = path.split('/')
    if (names.some((name) => name === '' || isIgnored(name) || name.includes('\\'))) {
      throw new FileSkipped('it is not a path inside the folder')
    }
    let folder = root
    for (const name of names.slice(0, -1)) {
      folder = join(folder, name)
      const found = lookAt(folder)
      if (!found && isMade) mkdirSync(folder)
      else if (found?.isSymbolicLink()) throw new FileSkipped(`${name} is a symbolic link`)
      else if (found && !found.isDirectory()) throw new FileSkipped(`${name} is a file, not a folder`)
    }
  }

  /** The file, as it was when it was read; undefined where none was there. */
  const expectUnchanged = (path: string, stat: FileStat | undefined): Stats | undefined => {
    const found = lookAt(join(root, path))
    if (found && !found.isFile()) throw new FileSkipped('it is not a file')
    if (stat ? !found || !sameStat(stat, statOf(found)) : found) throw new FileChanged(path)
    return found
  }

  const temporary = (path: string): string => join(root, dirname(path), `${temporaryStart}${process.pid}.tmp`)

  /** Fails where the new name is taken. */
  const rename = (from: string, to: string): void => {
    try {
      linkSync(from, to)
    } catch (error) {
      const [old, other] = [lookAt(from), lookAt(to)]
      // One file under two spellings, on a file system that ignores case.
      const isSelf = old && other && old.ino === other.ino && old.dev === other.dev
      if (other && !isSelf) throw new FileChanged(to)
      if (!isSelf && !isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
      renameSync(from, to)
      return
    }
    try {
      unlinkSync(from)
    } catch (error) {
      unlinkSync(to)
      throw error
    }
  }

  const removeEmptyFolders = (path: string): void => {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      try {
        rmdirSync(join(root, folder))
      } catch {
        return
      }
    }
  }

  return {
    /** A file that was just written. Where it is gone by now, the next pass takes it for deleted. */
    look: (path: string, hash: string): LocalFile => {
      const found = lookAt(join(root, path))
      return { hash, stat: found ? statOf(found) : [0, 0, 0], isSettled: false }
    },
    /** Writes a file that has the given state, or none. */
    write: (path: string, text: string, before: FileStat | undefined): void => {
      checkParents(path, true)
      const part = temporary(path)
      rmSync(part, { force: true })
      const descriptor = openSync(part, 'wx')
      try {
        writeFileSync(descriptor, text)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      try {
        const old = expectUnchanged(path, before)
        if (old) chmodSync(part, old.mode)
        if (old) renameSync(part, join(root, path))
        else rename(part, join(root, path))
      } finally {
        rmSync(part, { force: true })
      }
    },
    move: (from: string, to: string, before: FileStat): void => {
      checkParents(from, false)
      checkParents(to, true)
      expectUnchanged(from, before)
      rename(join(root, from), join(root, to))
      removeEmptyFolders(from)
    },
    /** Gives a file the name of a conflict that is free; answers it. */
    setAside: (path: string, before: FileStat): string => {
      checkParents(path, false)
      expectUnchanged(path, before)
      for (let attempt = 1; ; attempt++) {
        const name = conflictName(path, attempt)
        if (lookAt(join(root, name))) continue
        rename(join(root, path), join(root, name))
        return name
      }
    },
    remove: (path: string, before: FileStat): void => {
      checkParents(path, false)
      expectUnchanged(path, before)
      unlinkSync(join(root, path))
      removeEmptyFolders(path)
    },
  }
}

export type Folder = ReturnType<typeof createFolder>
