import { CommandError } from '../exit-codes.js'
import type { LocalFile } from './files.js'
import type { Pass } from './pass.js'
import { createNameTable, keyOfPath, keyProblem, pathOfKey, pathProblem } from './paths.js'
import type { RemoteNote } from './remote.js'
import { isLeftAlone } from './scan.js'
import type { SyncedNote } from './state.js'

/** A file and its note, each as far as it is there. */
export interface Pair {
  path: string
  key: string
  file: LocalFile | undefined
  note: RemoteNote | undefined
  /** As both were at the last sync. */
  before: SyncedNote | undefined
}

/** All files and notes that can be synced; says why others are not. */
export const pairsOf = (pass: Pass): Pair[] => {
  const { state, scan, there, report } = pass
  const { prefix } = state.target
  const skip = (path: string, about: string): void => report({ action: 'skipped', path, about })
  for (const [path, reason] of scan.skipped) skip(path, reason)
  state.unsynced.clear()

  const pairs: Pair[] = []
  const names = createNameTable()
  const paths = new Map<string, string>()
  /** What is in a file that is left alone must be looked at again later. */
  const leave = (key: string, before: SyncedNote | undefined): void => {
    const note = there.notes.get(key)
    paths.set(key, key)
    if (before && note?.version !== before.version) pass.leaveOpen()
    if (!before && note) state.unsynced.set(key, note.version)
  }
  const add = (path: string, key: string, before: SyncedNote | undefined): void => {
    const file = scan.files.get(path)
    paths.set(key, path)
    pairs.push({ path, key, file, note: there.notes.get(key), before })
  }

  for (const [path, before] of state.notes) {
    if (isLeftAlone(path, scan)) leave(before.key, before)
    else if (scan.files.has(path)) {
      // A file that is about to be deleted leaves its name to others.
      const isLeaving = !there.notes.has(before.key) && scan.files.get(path)!.hash === before.hash
      const other = isLeaving ? undefined : names.claim(path)
      if (other === undefined) add(path, before.key, before)
      else {
        skip(path, `its name differs from ${other} only in case`)
        leave(before.key, before)
      }
    }
  }
  for (const path of scan.files.keys()) {
    if (state.notes.has(path)) continue
    const key = keyOfPath(path, prefix)
    const same = paths.get(key)
    const problem = keyProblem(key) ?? (same === undefined ? undefined : `it has the same key as ${same}`)
    const other = problem === undefined ? names.claim(path) : undefined
    if (problem !== undefined) skip(path, problem)
    else if (other === undefined) add(path, key, undefined)
    else {
      skip(path, `its name differs from ${other} only in case`)
      leave(key, undefined)
    }
  }
  // Those whose files are gone.
  for (const [path, before] of state.notes) {
    if (scan.files.has(path) || isLeftAlone(path, scan)) continue
    if (paths.has(before.key)) pass.remember(path, undefined)
    else add(path, before.key, before)
  }
  for (const key of there.notes.keys()) {
    if (paths.has(key)) continue
    const path = pathOfKey(key, prefix)
    const problem = pathProblem(key, prefix)
    const other = problem === undefined ? names.claim(path) : undefined
    if (problem === undefined && other === undefined && !isLeftAlone(path, scan)) add(path, key, undefined)
    else {
      state.unsynced.set(key, there.notes.get(key)!.version)
      if (problem !== undefined) skip(key, problem)
      else if (other !== undefined) skip(key, `its name differs from ${other} only in case`)
    }
  }
  return pairs
}

/** Fewer are deleted without a question. */
const minSuspicious = 10

/** A folder that was not mounted, or a project that was emptied, must not empty the other side. */
export const expectSome = ({ state }: Pass, pairs: readonly Pair[], isConfirmed: boolean): void => {
  const known = pairs.filter(({ before }) => before)
  if (isConfirmed || known.length < minSuspicious || known.length < state.notes.size) return
  const [where, other] = known.every(({ file }) => !file)
    ? ['the folder', 'the service']
    : known.every(({ note }) => !note)
      ? ['the service', 'the folder']
      : []
  if (where === undefined) return
  throw new CommandError(
    `All ${known.length} notes are gone from ${where}. To delete them from ${other} too, repeat the command with --yes. To get them back, remove .worklore/sync.json.`,
  )
}

export type Step =
  | { kind: 'none' | 'forget' | 'deleteFile' | 'deleteNote' }
  /** The note is read, and then compared with the file. */
  | { kind: 'read' }
  | { kind: 'upload'; version: number | null; isKept: boolean }

/** What is to be done with a pair, as far as that can be said without the text of the note. */
export const stepOf = ({ file, note, before }: Pair): Step => {
  const isFileChanged = file !== undefined && file.hash !== before?.hash
  const isNoteChanged = note !== undefined && note.version !== before?.version
  if (isNoteChanged) return { kind: 'read' }
  if (file && note) return isFileChanged ? { kind: 'upload', version: note.version, isKept: false } : { kind: 'none' }
  if (file) {
    if (before && !isFileChanged) return { kind: 'deleteFile' }
    return { kind: 'upload', version: null, isKept: before !== undefined }
  }
  return { kind: note ? 'deleteNote' : 'forget' }
}
