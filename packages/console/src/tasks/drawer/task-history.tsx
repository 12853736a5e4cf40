import { type ReactNode, useEffect } from 'react'
import { type HistoryEntry, type Project, type Task, taskPatchFields, type UpdateTaskBody } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { errorText } from '../../api/error-text'
import { Button } from '../../components/button'
import { Diff } from '../../components/diff/diff'
import { Failure, Skeletons } from '../../components/states'
import { Time } from '../../components/time'
import { usePages } from '../../lifecycle/use-pages'
import { useConsole } from '../../store/console'
import { findStatus } from '../../store/statuses'
import type { Category } from '../../store/task-card'
import { ChangeText, fieldName, isLongChange } from '../change-text'
import { heldTasks, mayEndClaims, tellUndoable } from '../end-claims'
import { putBackOf } from '../put-back'

const entriesPerPage = 50

/** Fields that an update sets back by their names in history: it merges metadata, and only resets attempts. */
const patchFields = new Set<string>(taskPatchFields.filter((name) => name !== 'metadata' && name !== 'attempts'))

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

/** Undefined for a status that the project does not have, such as one from before the task was moved. */
const categoryOf = (project: Project | undefined, status: unknown): Category | undefined =>
  findStatus(project, String(status))?.category

/** What is known of a task beside one of its changes. */
interface Context {
  /** What came before the change, the newest first, and whether that is all. */
  older: readonly HistoryEntry[]
  isComplete: boolean
  project: Project | undefined
  isHeldNow: boolean
}

/** Whether a claim held the task before a change; taken to be so where that cannot be seen. */
const wasHeld = (entry: HistoryEntry, { older, isComplete, project }: Context): boolean => {
  if (claimEnds.includes(entry.type)) return true
  const last = older.find(
    ({ type, changes: { status } }) =>
      type === 'task.claimed' ||
      claimEnds.includes(type) ||
      (status !== undefined && categoryOf(project, (status as FromTo).to) !== 'in_progress'),
  )
  return last ? last.type === 'task.claimed' : !isComplete
}

/** What sets the fields of one change back to what they were; a task whose claim is over is handed out again. */
const inverseOf = (entry: HistoryEntry, context: Context): UpdateTaskBody | null => {
  const { project, isHeldNow } = context
  const patch: Record<string, unknown> = {}
  for (const [field, { from, to }] of changesOf(entry)) {
    if (field === 'assignee') patch.assigneeId = (from as { id: string } | null)?.id ?? null
    else if (field === 'status' && !categoryOf(project, from)) continue
    else if (field === 'status' && !isHeldNow && categoryOf(project, from) === 'in_progress') {
      const status = wasHeld(entry, context) ? 'todo' : from
      if (status === from || categoryOf(project, to) !== 'todo') patch.status = status
    } else if (patchFields.has(field)) patch[field] = from
  }
  return Object.keys(patch).length > 0 ? patch : null
}

const claimEnds = ['task.released', 'task.claim_expired']

const isUpdate = ({ type }: HistoryEntry): boolean =>
  ['task.updated', 'task.claimed', 'task.released', 'task.claim_expired'].includes(type)

const isTextOrNone = (value: unknown): boolean => value === null || typeof value === 'string'
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface EntryProps {
  entry: HistoryEntry
  /** What would undo it; null where it cannot be undone. */
  inverse: UpdateTaskBody | null
  onUndo: (entry: HistoryEntry, inverse: UpdateTaskBody) => void
}

const Entry = ({ entry, inverse, onUndo }: EntryProps): ReactNode => {
  const { users } = useConsole()
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
          {inverse && (
            <Button
              kind="quiet"
              small
              icon="undo"
              onClick={() => onUndo(entry, inverse)}
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

export const TaskHistory = ({
  task,
  canWrite,
  accept,
}: {
  task: Task
  canWrite: boolean
  accept: (task: Task) => void
}): ReactNode => {
  const console = useConsole()
  const { client, toasts, projects } = console
  const { records, hasMore, error, reload, more, isLoadingMore } = usePages(
    (cursor, signal) =>
      client.tasks
        .history(task.id, { full: true, limit: entriesPerPage, ...(cursor && { cursor }) }, { signal })
        .then((page) => page),
    [task.id],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version, comment or question is a new entry
  useEffect(() => {
    if (records) reload()
  }, [task.version, task.commentCount, task.openQuestions])

  const undo = async (entry: HistoryEntry, patch: UpdateTaskBody): Promise<void> => {
    const held = patch.status ? heldTasks(console, [task.id], patch.status) : []
    if (held.length > 0 && !(await mayEndClaims(console, held, patch.status!))) return
    try {
      const undone = await client.tasks.update(task.id, patch, { ifMatch: task.version })
      accept(undone)
      const back = putBackOf(task, patch, projects.get(task.projectId))
      tellUndoable(console, held, {
        what: `Version ${entry.version} of ${task.id} taken back`,
        run: back && (async () => accept(await client.tasks.update(task.id, back, { ifMatch: undone.version }))),
      })
    } catch (cause) {
      toasts.error(`Could not undo. ${errorText(cause)}`)
    }
  }

  if (error && !records) return <Failure error={error} what="the history" onRetry={reload} />
  if (!records) return <Skeletons count={3} />
  const inverse = (entry: HistoryEntry, at: number): UpdateTaskBody | null =>
    inverseOf(entry, {
      older: records.slice(at + 1),
      isComplete: !hasMore,
      project: projects.get(task.projectId),
      isHeldNow: task.claim !== null,
    })
  return (
    <>
      <ul className="history">
        {records.map((entry, at) => (
          <Entry
            key={entry.id}
            entry={entry}
            inverse={canWrite && isUpdate(entry) ? inverse(entry, at) : null}
            onUndo={(each, patch) => void undo(each, patch)}
          />
        ))}
      </ul>
      {hasMore && (
        <Button kind="quiet" small disabled={isLoadingMore} onClick={() => void more()}>
          Show more
        </Button>
      )}
    </>
  )
}
