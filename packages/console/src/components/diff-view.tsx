import { diffLines } from 'diff'
import { type ReactNode, useMemo } from 'react'

/** Unchanged lines shown around a change. */
const contextLines = 3
/** Texts that differ in more places are compared as a whole. */
const maxEdits = 4_000

interface Line {
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

const diffOf = (before: string, after: string): Line[] => {
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

const marks = { same: ' ', added: '+', removed: '−', gap: '⋯' }

/** What changed between two texts, line by line. */
export const DiffView = ({ before, after, label }: { before: string; after: string; label: string }): ReactNode => {
  const lines = useMemo(() => diffOf(before, after), [before, after])
  if (before === after) return <p className="muted">No difference.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must reach them
    <div className="diff" tabIndex={0} role="group" aria-label={label}>
      {lines.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <div key={index} className={`diff-line ${kind}`}>
          <span className="diff-mark" aria-hidden="true">
            {marks[kind]}
          </span>
          <span className="visually-hidden">
            {kind === 'added' ? 'added: ' : kind === 'removed' ? 'removed: ' : ''}
          </span>
          <span>{text || ' '}</span>
        </div>
      ))}
    </div>
  )
}
