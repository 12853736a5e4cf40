import { join } from 'node:path'
import type { Pair } from './decide.js'
import { hashOf } from './files.js'
import type { Pass } from './pass.js'
import { isNoteFile } from './paths.js'
import { isLink, readNote } from './scan.js'

const splitPath = (path: string): [folder: string, name: string] => {
  const at = path.lastIndexOf('/')
  return [path.slice(0, at + 1), path.slice(at + 1)]
}

/**
 * The notes of files that are gone, less those whose text may still be in the folder under a name that is not synced.
 * A file that cannot be read may be any that was in its folder or had its name, unless the deletion is confirmed.
 */
export const notesToDelete = (pass: Pass, gone: readonly Pair[], isConfirmed: boolean): readonly Pair[] => {
  const { root, scan, state, report } = pass
  if (gone.length === 0) return gone
  const places = new Map<string, string>()
  const unread: string[] = []
  for (const [path, { hash }] of scan.files) {
    const note = state.notes.get(path)
    if (note?.hash !== hash || note.version === 0) places.set(hash, path)
  }
  for (const path of scan.conflicts) {
    const note = readNote(join(root, path))
    if ('bytes' in note) places.set(hashOf(note.bytes), path)
    else if (!isConfirmed) unread.push(path)
  }
  for (const [hash, path] of pass.setAside) places.set(hash, path)
  for (const [path, reason] of scan.skipped) {
    if (!isConfirmed && isNoteFile(path) && !isLink(reason) && !state.notes.has(path)) unread.push(path)
  }

  return gone.filter(({ path, before }) => {
    const place = places.get(before!.hash) ?? (before!.sent === undefined ? undefined : places.get(before!.sent))
    const [folder, name] = splitPath(path)
    const perhaps = unread.find((each) => splitPath(each)[0] === folder || splitPath(each)[1] === name)
    if (place === undefined && perhaps === undefined) return true
    const about =
      place === undefined
        ? `its file is gone, but may now be ${perhaps}, which is skipped; --yes deletes the note`
        : `its file is gone, but ${place} has its text and is not synced`
    report({ action: 'kept', path, about })
    return false
  })
}
