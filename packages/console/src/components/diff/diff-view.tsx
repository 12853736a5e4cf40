import { type ReactNode, useMemo } from 'react'
import { diffOf } from './diff-lines'

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
