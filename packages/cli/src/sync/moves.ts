import { randomUUID } from 'node:crypto'
import type { BulkUnit } from 'worklore-client/bulk'
import { changeFolder } from './change-folder.js'
import type { Pass } from './pass.js'
import { folded, keyOfPath, pathOfKey, pathProblem } from './paths.js'
import { renamedFiles } from './renames.js'
import { isLeftAlone } from './scan.js'

/** Notes that were moved on the service: their files follow, whatever is in them. */
export const followMoves = (pass: Pass): void => {
  const { state, scan, there, folder, isDry, report } = pass
  const { prefix } = state.target
  if (there.moves.size === 0) return
  const keys = new Set([...state.notes.values()].map(({ key }) => key))
  const names = new Set([...scan.files.keys(), ...scan.skipped.keys()].map(folded))
  for (const [path, note] of [...state.notes]) {
    const key = there.moves.get(note.key)
    const isMoved = key !== undefined && !there.notes.has(note.key) && there.notes.has(key) && !keys.has(key)
    if (!isMoved || pathProblem(key, prefix) || isLeftAlone(path, scan)) continue
    const to = pathOfKey(key, prefix)
    const isTaken = names.has(folded(to)) && folded(to) !== folded(path)
    if (isTaken || isLeftAlone(to, scan)) continue
    const file = scan.files.get(path)
    const isDone = !file || changeFolder(pass, path, () => isDry || folder.move(path, to, file.stat))
    if (!isDone) continue
    const { stat: _, ...rest } = note
    pass.remember(path, undefined)
    pass.remember(to, { ...rest, key })
    if (!file) continue
    scan.files.delete(path)
    // The times of the file are others now.
    scan.files.set(to, isDry ? file : folder.look(to, file.hash))
    names.delete(folded(path))
    names.add(folded(to))
    report({ action: 'moved', path: to, side: 'folder', about: path })
  }
}

/** Files that were renamed: their notes follow. */
export const sendMoves = async (pass: Pass): Promise<void> => {
  const { state, there, report, isDry } = pass
  const { prefix, projectId } = state.target
  const moveTo = (from: string, to: string): BulkUnit['operations'][number] => ({
    method: 'POST',
    path: '/v1/knowledge/move',
    body: { from, to, ...(projectId !== null && { projectId }) },
  })
  const units = renamedFiles(pass).map((group): BulkUnit => {
    const moved = group.map(([from, to]) => ({ from, to, note: state.notes.get(from)!, key: keyOfPath(to, prefix) }))
    const done = (versions: readonly number[]): void => {
      for (const { from, note } of moved) {
        pass.remember(from, undefined)
        there.notes.delete(note.key)
      }
      for (const [at, { from, to, note, key }] of moved.entries()) {
        const { stat: _, ...rest } = note
        pass.remember(to, { ...rest, key })
        there.notes.set(key, { version: versions[at]! })
        report({ action: 'moved', path: to, side: 'service', about: from })
      }
    }
    if (isDry) done(moved.map(({ note }) => note.version))
    const operations = moved.map(({ note, key }) => moveTo(note.key, key))
    // In a cycle every key is taken: the first note makes room, and takes its place last.
    const isCycle = moved.length > 1
    if (isCycle) {
      const aside = `${prefix}.wl-sync-${randomUUID()}`
      operations[0] = moveTo(moved[0]!.note.key, aside)
      operations.push(moveTo(aside, moved[0]!.key))
    }
    return {
      operations,
      onDone: (results) => {
        const versions = results.map(({ body }) => (body as { data: { version: number }[] }).data[0]!.version)
        done(isCycle ? [versions.at(-1)!, ...versions.slice(1)] : versions)
      },
      // It is created under the new key then, and deleted under the old one once that is done.
      onRefusal: () => undefined,
    }
  })
  await pass.send('moving notes', units, units.length)
}
