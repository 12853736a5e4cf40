import type { ReactNode } from 'react'
import type { HistoryEntry, UndoConflict, UndoneRecord } from 'worklore-client'
import { actorOf } from '../api/actor'
import { countOf } from '../components/count'
import { Diff } from '../components/diff/diff'
import { Icon } from '../components/icons'
import { useUsers } from '../store/records'
import { ChangeText, fieldName, isLongChange } from '../tasks/change-text'
import '../styles/prose.css'

/** More records are counted, not listed. */
const maxListed = 200

const recordName = ({ task, comment, question, knowledge }: UndoneRecord | UndoConflict): string => {
  if (comment) return `a comment on ${task}`
  if (question) return `a question on ${task}`
  return task ?? knowledge ?? 'project'
}

const RecordName = ({ record }: { record: UndoneRecord | UndoConflict }): ReactNode => (
  <>
    <span className="mono">{recordName(record)}</span>
    {record.title && <span className="truncate">{record.title}</span>}
  </>
)

/** Long texts come as a diff. */
type Change = { from: unknown; to: unknown } | { diff: string }

/** The lines of a unified diff, with their marks. */
const DiffLines = ({ diff, label }: { diff: string; label: string }): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: long texts scroll, and the keyboard must reach them
  <div className="diff" tabIndex={0} role="group" aria-label={label}>
    {diff
      .trimEnd()
      .split('\n')
      .map((line, index) => {
        const kind = line.startsWith('+')
          ? 'added'
          : line.startsWith('-')
            ? 'removed'
            : line.startsWith('@')
              ? 'gap'
              : ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <div key={index} className={`diff-line ${kind}`}>
            {line}
          </div>
        )
      })}
  </div>
)

const FieldChange = ({ field, change }: { field: string; change: Change }): ReactNode => {
  const label = `Difference of the ${fieldName(field)}`
  if ('diff' in change) {
    return (
      <details>
        <summary>{fieldName(field)}: show the difference</summary>
        <DiffLines diff={change.diff} label={label} />
      </details>
    )
  }
  const { from, to } = change
  if (!isLongChange(field, from, to) || typeof (from ?? '') !== 'string' || typeof (to ?? '') !== 'string')
    return <ChangeText field={field} from={from} to={to} />
  return (
    <details>
      <summary>{fieldName(field)}: show the difference</summary>
      <Diff before={String(from ?? '')} after={String(to ?? '')} label={label} />
    </details>
  )
}

const effects: Record<UndoneRecord['action'], string> = {
  reverted: 'goes back',
  deleted: 'was created, goes to the trash',
  restored: 'was deleted, comes back',
  moved: 'moves back',
}

const Rest = ({ count }: { count: number }): ReactNode =>
  count > maxListed && <li className="muted">and {countOf(count - maxListed, 'other')}</li>

export const UndoneRecords = ({ records }: { records: readonly UndoneRecord[] }): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
  <ul className="undo-list" tabIndex={0} aria-label="Will be reverted">
    {records.slice(0, maxListed).map((record, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a record may be listed once only, but has no single id
      <li key={index}>
        <Icon name="undo" size={12} />
        <RecordName record={record} />
        <span className="muted">{effects[record.action]}</span>
        {Object.keys(record.changes).length > 0 && (
          <div className="undo-fields">
            {Object.entries(record.changes).map(([field, change]) => (
              <FieldChange key={field} field={field} change={change as Change} />
            ))}
          </div>
        )}
      </li>
    ))}
    <Rest count={records.length} />
  </ul>
)

const changeText = ({ changes, type }: HistoryEntry): string => {
  const [, change = 'changed'] = type.split('.')
  return change === 'updated' ? `changed ${Object.keys(changes).map(fieldName).join(', ')}` : change.replace('_', ' ')
}

interface UndoConflictsProps {
  records: readonly UndoConflict[]
  ownKeyId: string
}

export const UndoConflicts = ({ records, ownKeyId }: UndoConflictsProps): ReactNode => {
  const users = useUsers()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
    <ul className="undo-list" tabIndex={0} aria-label="Conflicts">
      {records.slice(0, maxListed).map((record, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <li key={index}>
          <Icon name="alert" size={12} />
          <RecordName record={record} />
          <span>{changeText(record.change)}</span>
          <span className="muted">
            {record.laterChange
              ? `then ${record.laterChange.actor.keyId === ownKeyId ? 'you' : actorOf(users, record.laterChange.actor).name}: ${changeText(record.laterChange)}`
              : record.message}
          </span>
        </li>
      ))}
      <Rest count={records.length} />
    </ul>
  )
}
