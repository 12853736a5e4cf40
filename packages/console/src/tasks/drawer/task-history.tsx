import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import type { HistoryEntry, Task } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { errorText } from '../../api/error-text'
import { hasScope } from '../../api/permissions'
import { Button } from '../../components/button'
import { Confirm } from '../../components/confirm'
import { countOf } from '../../components/count'
import { Diff } from '../../components/diff/diff'
import { Failure, Skeletons } from '../../components/states'
import { Time } from '../../components/time'
import { usePages } from '../../lifecycle/use-pages'
import { useObservable } from '../../store/base/observable'
import { useConsole } from '../../store/console'
import { useUsers } from '../../store/records'
import { newRequestId, runUndo, undoOf, undoRequest } from '../../undo/undo-request'
import { ChangeText, fieldName, isLongChange } from '../change-text'
import { type HeldTask, heldTasks, mayEndClaims, tellEnded } from '../end-claims'

const entriesPerPage = 50

const verbs: Record<string, string> = {
  'task.created': 'created the task',
  'task.deleted': 'deleted the task',
  'task.restored': 'restored the task',
  'task.claimed': 'claimed it',
  'task.moved': 'moved it',
  'task.released': 'released it',
  'task.claim_expired': 'the claim expired',
  'task.unblocked': 'was unblocked',
  'comment.created': 'commented',
  'comment.updated': 'edited a comment',
  'comment.deleted': 'deleted a comment',
  'comment.restored': 'restored a comment',
  'question.asked': 'asked a question',
  'question.answered': 'answered a question',
  'question.withdrawn': 'withdrew a question',
}

interface FromTo {
  from: unknown
  to: unknown
}

const changesOf = (entry: HistoryEntry): [field: string, change: FromTo][] =>
  Object.entries(entry.changes).map(([field, change]) => [field, change as FromTo])

const isUpdate = ({ type }: HistoryEntry): boolean =>
  ['task.updated', 'task.claimed', 'task.released', 'task.claim_expired'].includes(type)

/**
 * The entries that an undo can take back, out of all that are shown, the newest first: no later change of the task stands in
 * the way, apart from those that were taken back themselves.
 */
const undoableOf = (entries: readonly HistoryEntry[]): ReadonlySet<string> => {
  const takenBack = new Set<string>()
  const undoable = new Set<string>()
  for (const entry of entries) {
    const { id, comment, question, undoes, requestId, actor } = entry
    if (comment || question || takenBack.has(id)) continue
    if (undoes) takenBack.add(undoes)
    if (requestId && isUpdate(entry)) undoable.add(id)
    if (!undoes && actor.keyId !== 'service') break
  }
  return undoable
}

const isTextOrNone = (value: unknown): boolean => value === null || typeof value === 'string'
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface EntryProps {
  entry: HistoryEntry
  /** Undefined if the entry cannot be undone. */
  onUndo: ((entry: HistoryEntry) => void) | undefined
}

const Entry = ({ entry, onUndo }: EntryProps): ReactNode => {
  const users = useUsers()
  const changes = isUpdate(entry) ? changesOf(entry) : []
  const long = changes.filter(
    ([field, { from, to }]) => isLongChange(field, from, to) && isTextOrNone(from) && isTextOrNone(to),
  )
  return (
    <li className="history-entry">
      <div className="history-line">
        <b>{actorOf(users, entry.actor).name}</b>
        {verbs[entry.type] && <span>{verbs[entry.type]}</span>}
        {changes.map(([field, { from, to }]) => (
          <ChangeText key={field} field={field} from={from} to={to} />
        ))}
        <span className="history-end">
          <span className="muted">
            v{entry.version} · <Time at={entry.at} />
          </span>
          {onUndo && (
            <Button
              kind="quiet"
              small
              icon="undo"
              onClick={() => onUndo(entry)}
              aria-label={`Undo the change of version ${entry.version}`}
            >
              Undo
            </Button>
          )}
        </span>
      </div>
      {long.map(([field, { from, to }]) => (
        <details key={field}>
          <summary>Show the difference</summary>
          <Diff before={textOf(from)} after={textOf(to)} label={`Difference of the ${fieldName(field)}`} />
        </details>
      ))}
    </li>
  )
}

/** An entry whose request also changed other records, which are undone with it. */
interface WiderUndo {
  entry: HistoryEntry
  otherRecords: number
}

export const TaskHistory = ({ task, canWrite }: { task: Task; canWrite: boolean }): ReactNode => {
  const console = useConsole()
  const { client, toasts } = console
  const me = useObservable(console.me)
  const [asked, setAsked] = useState<WiderUndo | null>(null)
  const { records, hasMore, error, reload, more, isLoadingMore } = usePages(
    (cursor, signal) =>
      client.tasks
        .history(task.id, { full: true, limit: entriesPerPage, ...(cursor && { cursor }) }, { signal })
        .then((page) => page),
    ['history', task.id],
  )
  const { version, commentCount, openQuestions } = task
  /** A new version, comment or question is a new entry. */
  const onNewEntry = useEffectEvent((..._counts: readonly number[]): void => {
    if (records) reload()
  })
  useEffect(() => onNewEntry(version, commentCount, openQuestions), [version, commentCount, openQuestions])

  const apply = async ({ version, requestId, actor }: HistoryEntry, held: readonly HeldTask[]): Promise<void> => {
    const ownRequestId = newRequestId()
    await undoRequest(console, requestId!, { keyId: actor.keyId, ownRequestId })
    const entry = undoOf(console, `Version ${version} of ${task.id} taken back`, ownRequestId)
    console.undo.push(entry)
    tellEnded(console, held, entry)
  }

  /** Asks before claims end, and before other records are changed that the same request has changed. */
  const undo = async (entry: HistoryEntry): Promise<void> => {
    const { status } = entry.changes as { status?: FromTo }
    const held = status ? heldTasks(console, [task.id], String(status.from)) : []
    if (held.length > 0 && !(await mayEndClaims(console, held, String(status!.from)))) return
    try {
      const request = { requestId: entry.requestId!, keyId: entry.actor.keyId, dryRun: true }
      const { undone } = await runUndo(client, request)
      const others = undone.filter(({ task: id, comment, question }) => id !== task.id || comment || question)
      if (others.length > 0) setAsked({ entry, otherRecords: others.length })
      else await apply(entry, held)
    } catch (cause) {
      toasts.error(`Could not undo. ${errorText(cause)}`)
    }
  }

  if (error && !records) return <Failure error={error} what="the history" onRetry={reload} />
  if (!records) return <Skeletons count={3} />
  const undoable = undoableOf(records)
  const mayUndo = ({ id, actor }: HistoryEntry): boolean =>
    canWrite && undoable.has(id) && (actor.keyId === me.key.id || hasScope(me, 'admin'))
  return (
    <>
      <ul className="history">
        {records.map((entry) => (
          <Entry key={entry.id} entry={entry} onUndo={mayUndo(entry) ? (each) => void undo(each) : undefined} />
        ))}
      </ul>
      {hasMore && (
        <Button kind="quiet" small disabled={isLoadingMore} onClick={() => void more()}>
          Show more
        </Button>
      )}
      {asked && (
        <Confirm
          title="Undo the whole request?"
          action={`Undo ${countOf(1 + asked.otherRecords, 'change')}`}
          run={() => apply(asked.entry, [])}
          onClose={() => setAsked(null)}
        >
          The same request also changed {countOf(asked.otherRecords, 'other record')}.
        </Confirm>
      )}
    </>
  )
}
