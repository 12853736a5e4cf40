import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decode } from '../input.js'
import { isFolder } from '../transfer/files.js'
import { hashOf, isTemporary, type LocalFile, sameStat, statOf } from './files.js'
import { maxNoteBytes } from './note-fields.js'
import { isConflictFile, isIgnored, isMangled, isNoteFile, notUtf8Name } from './paths.js'
import type { FileStat, SyncedNote } from './state.js'

export interface Scan {
  /** By path, in order. */
  files: Map<string, LocalFile>
  /** Files and folders that are left alone, and why. */
  skipped: Map<string, string>
  conflicts: string[]
  /** Every folder that was looked into, the root being the empty path. */
  folders: string[]
}

/** A change within the same tick of the clock of a file system does not change the times of a file; those of FAT take 2 s. */
const settledAfterMs = 2_100

/** The text of a file, and its size and times; says why it cannot be read. */
export const readNote = (file: string): { bytes: Uint8Array; text: string; stat: FileStat } | { problem: string } => {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
  try {
    const before = fstatSync(descriptor)
    if (!before.isFile()) return { problem: notAFile }
    if (before.size > maxNoteBytes) return { problem: 'is larger than 1 MiB' }
    const bytes = readFileSync(descriptor)
    const stat = statOf(fstatSync(descriptor))
    if (bytes.length !== before.size || !sameStat(stat, statOf(before))) return { problem: beingWritten }
    if (bytes.includes(0)) return { problem: 'is binary' }
    return { bytes, text: decode(bytes), stat }
  } catch (error) {
    return { problem: (error as Error).message }
  } finally {
    closeSync(descriptor)
  }
}

export const beingWritten = 'is being written'

const notAFile = 'is not a file'

const symbolicLink = 'is a symbolic link'

export const isLink = (reason: string): boolean => reason === symbolicLink

/** Looks at every note below a folder. Files whose size and times are as before are not read again. */
export const scanFolder = (root: string, known: ReadonlyMap<string, SyncedNote>, isLocked: boolean): Scan => {
  const scan: Scan = { files: new Map(), skipped: new Map(), conflicts: [], folders: [] }
  const nowMs = Date.now()

  const look = (path: string): void => {
    const entry = known.get(path)
    const file = join(root, path)
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (!found) {
      if (isMangled(path)) scan.skipped.set(path, notUtf8Name)
      return
    }
    const stat = statOf(found)
    if (entry && sameStat(entry.stat, stat)) {
      scan.files.set(path, { hash: entry.hash, stat, isSettled: true })
      return
    }
    const note = readNote(file)
    if ('problem' in note) scan.skipped.set(path, note.problem)
    else {
      const isSettled = nowMs - Math.max(note.stat[1], note.stat[2]) > settledAfterMs
      scan.files.set(path, { hash: hashOf(note.bytes), stat: note.stat, isSettled })
    }
  }

  const enter = (folder: string): void => {
    let entries: ReturnType<typeof readEntries>
    try {
      entries = readEntries(join(root, folder))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (folder === '') throw error
      if (code !== 'ENOENT') scan.skipped.set(folder, `cannot be read (${code})`)
      else if (isMangled(folder)) scan.skipped.set(folder, notUtf8Name)
      // Otherwise it was removed while the folder was read.
      return
    }
    scan.folders.push(folder)
    for (const entry of entries) {
      const { name } = entry
      const path = folder === '' ? name : `${folder}/${name}`
      if (isLocked && isTemporary(name)) rmSync(join(root, path), { force: true })
      if (isIgnored(name)) continue
      if (entry.isDirectory()) enter(path)
      else if (entry.isSymbolicLink()) {
        if (isNoteFile(name) || isFolder(join(root, path))) scan.skipped.set(path, symbolicLink)
      } else if (!isNoteFile(name)) continue
      else if (!entry.isFile()) scan.skipped.set(path, notAFile)
      else if (isConflictFile(path)) scan.conflicts.push(path)
      else look(path)
    }
  }

  enter('')
  return scan
}

/** A file that was changed so recently may not be complete. */
const recentMs = 300
const secondLookMs = 100

/** Takes a second look at files that were just changed, and leaves those alone that go on changing. */
export const leaveUnfinished = async (
  root: string,
  scan: Scan,
  known: ReadonlyMap<string, SyncedNote>,
): Promise<void> => {
  const sinceMs = Date.now() - recentMs
  const recent = [...scan.files].filter(
    ([path, { hash, stat, isSettled }]) => !isSettled && stat[1] > sinceMs && known.get(path)?.hash !== hash,
  )
  if (recent.length === 0) return
  await sleep(secondLookMs)
  for (const [path, { stat }] of recent) {
    const now = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (now && sameStat(stat, statOf(now))) continue
    scan.files.delete(path)
    scan.skipped.set(path, beingWritten)
  }
}

const readEntries = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))

/** Whether a path, or a folder that it is in, is left alone. */
export const isLeftAlone = (path: string, { skipped }: Scan): boolean => {
  if (skipped.size === 0) return false
  const parts = path.split('/')
  return parts.some((_, at) => skipped.has(parts.slice(0, at + 1).join('/')))
}
