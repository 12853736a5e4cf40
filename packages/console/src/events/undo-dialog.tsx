import { type ReactNode, useState } from 'react'
import type { HistoryEntry, UndoConflict, UndoneRecord, UndoReport } from 'worklore-client'
import { errorText, readErrorText } from '../api/error-text'
import { Button } from '../components/button'
import { countOf, numberText } from '../components/count'
import { Dialog } from '../components/dialog'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Skeletons } from '../components/states'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'
import { fieldName } from '../tasks/change-text'

/** A dry run looks at this many records at most. */
const maxPages = 25

const minuteMs = 60_000
const periods: [minutes: number, name: string][] = [
  [15, 'the last 15 minutes'],
  [60, 'the last hour'],
  [4 * 60, 'the last 4 hours'],
  [24 * 60, 'the last day'],
  [7 * 24 * 60, 'the last week'],
]

const recordName = ({ task, comment, knowledge, project }: UndoneRecord | UndoConflict): string =>
  comment ? `a comment on ${task}` : (task ?? knowledge ?? project ?? '')

const effects: Record<UndoneRecord['action'], string> = {
  reverted: 'goes back to its earlier fields',
  deleted: 'was created, goes to the trash',
  restored: 'was deleted, comes back',
  moved: 'moves back',
}

const changeText = ({ changes, type }: HistoryEntry): string => {
  const [, change = 'changed'] = type.split('.')
  return change === 'updated' ? `changed ${Object.keys(changes).map(fieldName).join(', ')}` : change.replace('_', ' ')
}

interface UndoDialogProps {
  keyId: string
  name: string
  onClose: () => void
}

/** Undoes everything one key did since a time: a dry run first, with what others changed since shown as conflicts. */
export const UndoDialog = ({ keyId, name, onClose }: UndoDialogProps): ReactNode => {
  const { client, toasts } = useConsole()
  const [minutes, setMinutes] = useState(60)
  const [includeConflicts, setIncludeConflicts] = useState(false)
  const [isApplying, setIsApplying] = useState(false)
  const [openedAtMs] = useState(() => Date.now())
  const since = new Date(openedAtMs - minutes * minuteMs).toISOString()

  const run = async (dryRun: boolean, signal?: AbortSignal): Promise<UndoReport> => {
    const total: UndoReport = { dryRun, undone: [], conflicts: [], unchanged: [], nextCursor: null }
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const result = await client.history.undo(
        { keyId, since, dryRun, ...(includeConflicts && { includeConflicts }), ...(cursor && { cursor }) },
        { signal },
      )
      total.undone.push(...result.undone)
      total.conflicts.push(...result.conflicts)
      total.unchanged.push(...result.unchanged)
      total.nextCursor = result.nextCursor
      if (result.nextCursor === null) break
      cursor = result.nextCursor
    }
    return total
  }

  const { data: dry, error, isLoading } = useLoaded((signal) => run(true, signal), [minutes, includeConflicts])

  const count = isLoading ? 0 : (dry?.undone.length ?? 0)

  const apply = async (): Promise<void> => {
    setIsApplying(true)
    try {
      const { undone } = await run(false)
      toasts.info(`Reverted ${countOf(undone.length, 'record')} changed by ${name}`)
      onClose()
    } catch (cause) {
      toasts.error(`Not everything was undone. ${errorText(cause)}`)
      setIsApplying(false)
    }
  }

  return (
    <Dialog title={`Undo changes by ${name}`} onClose={onClose} className="wide">
      <div className="dialog-body form">
        <div className="property-row">
          <span>Everything it changed in</span>
          <Picker
            label="Since"
            className="bordered"
            choices={periods.map(([value, label]) => ({ value, label }))}
            selected={[minutes]}
            onChoose={setMinutes}
          >
            {periods.find(([value]) => value === minutes)?.[1]}
            <Icon name="down" size={14} />
          </Picker>
        </div>
        {error && !isLoading ? (
          <p className="form-error" role="alert">
            {readErrorText(error)}
          </p>
        ) : !dry || isLoading ? (
          <>
            <p className="muted" role="status">
              Looking at what it changed…
            </p>
            <Skeletons count={3} />
          </>
        ) : (
          <>
            <div className="undo-summary" role="status">
              <span className="badge green">{numberText(dry.undone.length)} will be reverted</span>
              <span className={dry.conflicts.length > 0 ? 'badge amber' : 'badge'}>
                {countOf(dry.conflicts.length, 'conflict')}
              </span>
              <span className="badge">{numberText(dry.unchanged.length)} unchanged</span>
            </div>
            {dry.undone.length > 0 && (
              <ul className="undo-list" aria-label="Will be reverted">
                {dry.undone.slice(0, 200).map((record, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a record may be listed once only, but has no single id
                  <li key={index}>
                    <Icon name="undo" size={12} />
                    <span className="mono">{recordName(record)}</span>
                    <span className="muted">{effects[record.action]}</span>
                  </li>
                ))}
              </ul>
            )}
            {dry.conflicts.length > 0 && (
              <>
                <p className="field-hint">
                  Someone else changed these since. They stay as they are unless you include them.
                </p>
                <ul className="undo-list" aria-label="Conflicts">
                  {dry.conflicts.slice(0, 200).map((record, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <li key={index}>
                      <Icon name="alert" size={12} />
                      <span className="mono">{recordName(record)}</span>
                      <span>{changeText(record.change)}</span>
                      {record.laterChange ? (
                        <span className="muted">
                          then {record.laterChange.actor.keyName}: {changeText(record.laterChange)}
                        </span>
                      ) : (
                        <span className="muted">{record.message}</span>
                      )}
                    </li>
                  ))}
                </ul>
              </>
            )}
            {(dry.conflicts.length > 0 || includeConflicts) && (
              <label className="check">
                <input
                  type="checkbox"
                  checked={includeConflicts}
                  onChange={() => setIncludeConflicts((value) => !value)}
                />
                <span>Revert the conflicts too</span>
              </label>
            )}
          </>
        )}
      </div>
      <div className="dialog-foot">
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          {...(count > 0 && { kind: 'danger solid' })}
          disabled={isApplying || count === 0}
          onClick={() => void apply()}
        >
          {count === 0 ? 'Undo' : `Undo ${countOf(count, 'change')}`}
        </Button>
      </div>
    </Dialog>
  )
}
