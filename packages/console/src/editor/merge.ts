import { diffArrays } from 'diff'

/** Texts that differ in more lines are compared as a whole. */
const maxEdits = 1_000

/** Lines that both texts agree on or that only one side changed; or the lines of a place that both sides changed. */
export type Part = { lines: string[] } | Overlap

export interface Overlap {
  base: string[]
  mine: string[]
  theirs: string[]
}

export type Choice = 'mine' | 'theirs' | 'both'

export const isOverlap = (part: Part): part is Overlap => 'mine' in part

/** Lines of the base from `start` to before `end` that are replaced. */
interface Edit {
  start: number
  end: number
  lines: string[]
}

const editsOf = (base: string[], side: string[]): Edit[] => {
  const changes = diffArrays(base, side, { maxEditLength: maxEdits })
  if (!changes) return [{ start: 0, end: base.length, lines: side }]
  const edits: Edit[] = []
  let at = 0
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      at += value.length
      continue
    }
    // An addition and a removal at one place are one edit.
    const last = edits.at(-1)
    const edit = last?.end === at ? last : { start: at, end: at, lines: [] }
    if (edit !== last) edits.push(edit)
    if (added) edit.lines.push(...value)
    else {
      at += value.length
      edit.end = at
    }
  }
  return edits
}

/** The lines of a range of the base as one side has them. */
const applied = (base: string[], start: number, end: number, edits: readonly Edit[]): string[] => {
  const lines: string[] = []
  let at = start
  for (const edit of edits) {
    lines.push(...base.slice(at, edit.start), ...edit.lines)
    at = edit.end
  }
  return [...lines, ...base.slice(at, end)]
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index])

/**
 * Merges two texts that were made from the same one, line by line. Edits that touch each other overlap: lines beside each
 * other often belong together.
 */
export const mergeTexts = (baseText: string, mineText: string, theirsText: string): Part[] => {
  const [base, mine, theirs] = [baseText, mineText, theirsText].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ]
  const left = { mine: editsOf(base, mine), theirs: editsOf(base, theirs) }
  const parts: Part[] = []
  let at = 0
  while (left.mine.length > 0 || left.theirs.length > 0) {
    const start = Math.min(left.mine[0]?.start ?? base.length, left.theirs[0]?.start ?? base.length)
    const taken = { mine: [] as Edit[], theirs: [] as Edit[] }
    let end = start
    for (let isGrowing = true; isGrowing; ) {
      isGrowing = false
      for (const side of ['mine', 'theirs'] as const) {
        while (left[side][0] && left[side][0].start <= end) {
          const edit = left[side].shift()!
          taken[side].push(edit)
          end = Math.max(end, edit.end)
          isGrowing = true
        }
      }
    }
    if (start > at) parts.push({ lines: base.slice(at, start) })
    const [ofMine, ofTheirs] = [applied(base, start, end, taken.mine), applied(base, start, end, taken.theirs)]
    if (taken.theirs.length === 0 || isSame(ofMine, ofTheirs)) parts.push({ lines: ofMine })
    else if (taken.mine.length === 0) parts.push({ lines: ofTheirs })
    else parts.push({ base: base.slice(start, end), mine: ofMine, theirs: ofTheirs })
    at = end
  }
  return at < base.length ? [...parts, { lines: base.slice(at) }] : parts
}

/** The text with what was chosen for each overlap, the first one first. */
export const resolveText = (parts: readonly Part[], choiceOf: (overlap: number) => Choice): string => {
  let overlaps = 0
  return parts
    .flatMap((part) => {
      if (!isOverlap(part)) return part.lines
      const choice = choiceOf(overlaps++)
      return choice === 'both' ? [...part.theirs, ...part.mine] : part[choice]
    })
    .join('\n')
}
