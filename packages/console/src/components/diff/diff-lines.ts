import { diffLines } from 'diff'

/** Unchanged lines shown around a change. */
const contextLines = 3
/** Texts that differ in more places are compared as a whole. */
const maxEdits = 4_000

export interface Line {
  kind: 'same' | 'added' | 'removed' | 'gap'
  text: string
}

const linesOf = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const shorten = (lines: string[], isFirst: boolean, isLast: boolean): Line[] => {
  const same = (line: string): Line => ({ kind: 'same', text: line })
  const head = isFirst ? 0 : contextLines
  const tail = isLast ? 0 : contextLines
  if (lines.length <= head + tail + 1) return lines.map(same)
  const gap: Line = { kind: 'gap', text: `${lines.length - head - tail} unchanged lines` }
  return [...lines.slice(0, head).map(same), gap, ...lines.slice(lines.length - tail).map(same)]
}

/** What changed between two texts, with the lines around it. */
export const diffOf = (before: string, after: string): Line[] => {
  const changes = diffLines(before, after, { maxEditLength: maxEdits, ignoreNewlineAtEof: true })
  if (!changes) {
    return [
      ...linesOf(before).map((text): Line => ({ kind: 'removed', text })),
      ...linesOf(after).map((text): Line => ({ kind: 'added', text })),
    ]
  }
  return changes.flatMap(({ added, removed, value }, index) => {
    const lines = linesOf(value)
    if (added || removed) return lines.map((text): Line => ({ kind: added ? 'added' : 'removed', text }))
    return shorten(lines, index === 0, index === changes.length - 1)
  })
}

/** The lines that differ between two texts. */
export const changedLines = (before: string, after: string): Line[] =>
  diffOf(before, after).filter(({ kind }) => kind === 'added' || kind === 'removed')
