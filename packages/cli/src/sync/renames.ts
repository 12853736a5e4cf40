import type { Pass } from './pass.js'
import { folded, keyOfPath, keyProblem } from './paths.js'
import { isLeftAlone } from './scan.js'

export type Rename = [from: string, to: string]

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Files that are not where their text was, each with one that has this text now and did not have it. */
const matches = ({ state, scan, there }: Pass): Map<string, string> => {
  const { prefix } = state.target
  const arrived = new Set(there.moves.values())
  const left = [...state.notes].filter(([path, { key, version, hash, sent }]) => {
    const now = scan.files.get(path)?.hash
    const note = there.notes.get(key)
    if (!note || now === hash || isLeftAlone(path, scan)) return false
    // A note that was moved here may be the one that followed already, in a run that was killed.
    const isInPlace = note.version === version || (there.areMovesKnown && !arrived.has(key))
    return now === undefined || (now !== sent && isInPlace)
  })
  const found = new Map<string, string>()
  if (left.length === 0) return found
  const appeared = new Map<string, string[]>()
  const spellings = new Map<string, number>()
  for (const path of scan.files.keys()) spellings.set(folded(path), (spellings.get(folded(path)) ?? 0) + 1)
  const isFree = (path: string): boolean => !there.notes.has(keyOfPath(path, prefix))
  for (const [path, { hash }] of scan.files) {
    const key = keyOfPath(path, prefix)
    const before = state.notes.get(path)
    // Of names that differ only in case, one is skipped.
    if (spellings.get(folded(path))! > 1) continue
    if (before?.hash === hash || keyProblem(key) || !(isFree(path) || before?.key === key)) continue
    appeared.set(hash, [...(appeared.get(hash) ?? []), path])
  }
  for (const [path, { hash, sent }] of left) {
    const text = sent !== undefined && appeared.has(sent) ? sent : hash
    const candidates = appeared.get(text) ?? []
    const free = candidates.filter(isFree)
    const best = free.length > 0 ? free : candidates
    const to = best.find((each) => baseName(each) === baseName(path)) ?? best[0]
    if (to === undefined) continue
    found.set(path, to)
    appeared.set(
      text,
      candidates.filter((each) => each !== to),
    )
  }
  return found
}

/** Drops what is a copy and not a new name: the place is not left, or the old file was given another text. */
const withoutCopies = ({ state, scan, there }: Pass, renames: Map<string, string>): void => {
  for (let isStable = false; !isStable; ) {
    isStable = true
    const targets = new Set(renames.values())
    for (const [from, to] of renames) {
      const isTaken = there.notes.has(keyOfPath(to, state.target.prefix)) && !renames.has(to)
      const isKept = scan.files.has(from) && !targets.has(from)
      if (!isTaken && !isKept) continue
      renames.delete(from)
      isStable = false
    }
  }
}

/**
 * Files that were renamed, also to the name of one that was itself renamed. Each group can be carried out after those
 * before it; one of several renames is a cycle, such as two names that were swapped.
 */
export const renamedFiles = (pass: Pass): Rename[][] => {
  const renames = matches(pass)
  withoutCopies(pass, renames)
  const byTarget = new Map([...renames].map(([from, to]) => [to, from]))
  const groups: Rename[][] = []
  /** Renames a file, then the one that gets its name, and so on. */
  const chainFrom = (first: string): Rename[] => {
    const chain: Rename[] = []
    for (let from: string | undefined = first; from !== undefined; from = byTarget.get(from)) {
      const to = renames.get(from)
      if (to === undefined) break
      renames.delete(from)
      chain.push([from, to])
    }
    return chain
  }
  const ends = [...renames].filter(([, to]) => !renames.has(to)).map(([from]) => from)
  for (const end of ends) groups.push(...chainFrom(end).map((rename) => [rename]))
  for (const from of [...renames.keys()]) if (renames.has(from)) groups.push(chainFrom(from))
  return groups
}
