import { type ReactNode, useState } from 'react'
import type { UndoneRecord, UndoReport } from 'worklore-client'
import { errorText, readErrorText } from '../api/error-text'
import { Button } from '../components/button'
import { countOf, numberText } from '../components/count'
import { Dialog } from '../components/dialog'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Skeletons } from '../components/states'
import { exactTime } from '../components/time'
import { DateTimeField } from '../fields/date-time-field'
import { findStatus } from '../store/cards/statuses'
import type { TaskCard } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { useCardView, useProjects } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import { Holders, heldOf } from '../tasks/holders'
import { newRequestId, runUndo } from '../undo/undo-request'
import { UndoConflicts, UndoneRecords } from './undo-records'

const minuteMs = 60_000
const defaultMinutes = 60
/** A claim is undone from its beginning. */
const claimMinutes = 7 * 24 * 60
const periods: [minutes: number, name: string][] = [
  [15, 'Last 15 minutes'],
  [60, 'Last hour'],
  [4 * 60, 'Last 4 hours'],
  [24 * 60, 'Last day'],
  [7 * 24 * 60, 'Last week'],
]

/** What an undo did, and the request id that it can be undone by. */
interface Applied {
  report: UndoReport
  requestId: string
}

interface AppliedUndoProps {
  applied: Applied
  since: string
  onClose: () => void
}

/** The end of the dialog: what went back, and the way back from there. */
const AppliedUndo = ({ applied, since, onClose }: AppliedUndoProps): ReactNode => {
  const { client, toasts, me } = useConsole()
  const [isRunning, setIsRunning] = useState(false)
  const { undone, conflicts } = applied.report
  const undoAgain = async (): Promise<void> => {
    setIsRunning(true)
    try {
      const report = await runUndo(client, {
        requestId: applied.requestId,
        keyId: me.get().key.id,
        dryRun: false,
      })
      const left = report.conflicts.length
      toasts.info(
        `The undo is undone: ${countOf(report.undone.length, 'record')} changed back${left > 0 ? `, ${numberText(left)} changed since and left alone` : ''}`,
      )
      onClose()
    } catch (cause) {
      toasts.error(`Not everything was undone. ${errorText(cause)}`)
      setIsRunning(false)
    }
  }
  return (
    <>
      <div className="dialog-body form">
        <p role="status">
          {countOf(undone.length, 'record')} went back to what {undone.length === 1 ? 'it was' : 'they were'} at{' '}
          {exactTime(since)}
          {conflicts.length > 0 && `, ${countOf(conflicts.length, 'conflict')} left alone`}.
        </p>
      </div>
      <div className="dialog-foot">
        <Button icon="undo" disabled={isRunning} onClick={() => void undoAgain()}>
          Undo this undo
        </Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  )
}

interface UndoDialogProps {
  keyId: string
  name: string
  /** Only what this worker of the key did. */
  worker?: string | undefined
  /** Only what was done under this claim. */
  claim?: string | undefined
  /** A time; anything else stands for the last hour, or the last week of a claim. */
  since: string
  onSince: (since: string) => void
  onClose: () => void
}

/**
 * Undoes everything that one key, a worker of it or the holder of a claim did since a time: a dry run first, with what
 * others changed since shown as conflicts.
 */
export const UndoDialog = ({
  keyId,
  name,
  worker,
  claim,
  since: asked,
  onSince,
  onClose,
}: UndoDialogProps): ReactNode => {
  const { client, toasts, me } = useConsole()
  const tasks = useCardView()
  const projects = useProjects()
  const [includeConflicts, setIncludeConflicts] = useState(false)
  const [isApplying, setIsApplying] = useState(false)
  const [applied, setApplied] = useState<Applied>()
  const [openedAtMs] = useState(() => Date.now())
  const timeOf = (minutes: number): string => new Date(openedAtMs - minutes * minuteMs).toISOString()
  const since = /^\d{4}-/.test(asked) && Date.parse(asked) ? asked : timeOf(claim ? claimMinutes : defaultMinutes)
  const whose = claim ? { claim } : { keyId, ...(worker && { worker }) }
  const request = { ...whose, since, ...(includeConflicts && { includeConflicts }) }

  const {
    data: dry,
    error,
    isLoading,
  } = useLoaded((signal) => runUndo(client, { ...request, dryRun: true }, { signal }), ['undo', request])

  const count = isLoading ? 0 : (dry?.undone.length ?? 0)

  const apply = async (): Promise<void> => {
    setIsApplying(true)
    const requestId = newRequestId()
    try {
      setApplied({ report: await runUndo(client, { ...request, dryRun: false }, { requestId }), requestId })
    } catch (cause) {
      toasts.error(`Not everything was undone. ${errorText(cause)}`)
    }
    setIsApplying(false)
  }

  /** The task whose claim would end. */
  const endedBy = ({ task, comment, question, action, changes }: UndoneRecord): TaskCard[] => {
    const card = task && !comment && !question ? tasks.card(task) : undefined
    if (!card) return []
    const { status } = changes as { status?: { to?: string } }
    const isEnded =
      action === 'deleted' ||
      (status?.to !== undefined && findStatus(projects.get(card.projectId), status.to)?.category !== 'in_progress')
    return isEnded ? [card] : []
  }

  const title = `Undo changes by ${name}`
  if (applied) {
    return (
      <Dialog key="applied" title={title} onClose={onClose}>
        <AppliedUndo applied={applied} since={since} onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose} className="wide">
      <div className="dialog-body form">
        <div className="property-row undo-since">
          <DateTimeField
            label="Everything it changed since"
            value={since}
            hasSeconds
            isDisabled={isApplying}
            onChange={(value) => value && onSince(value)}
          />
          <Picker
            label="Period"
            className="bordered"
            choices={periods.map(([value, label]) => ({ value, label }))}
            selected={[]}
            onChoose={(minutes) => onSince(timeOf(minutes))}
          >
            {periods.find(([minutes]) => timeOf(minutes) === since)?.[1] ?? 'Exact time'}
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
              {dry.nextCursor !== null && <span className="muted">There are more than were looked at.</span>}
            </div>
            <Holders held={heldOf(dry.undone.flatMap(endedBy))} of={dry.undone.length} />
            {dry.undone.length > 0 && <UndoneRecords records={dry.undone} />}
            {dry.conflicts.length > 0 && (
              <>
                <p className="field-hint">
                  These were changed since by someone else, or by you. They stay as they are unless you include them.
                </p>
                <UndoConflicts records={dry.conflicts} ownKeyId={me.get().key.id} />
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
