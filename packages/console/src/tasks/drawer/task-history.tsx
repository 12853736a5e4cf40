import { type ReactNode, useEffect, useState } from 'react'
import { type HistoryEntry, type Task, taskPatchFields, type UpdateTaskBody } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { Button } from '../../components/button'
import { Diff } from '../../components/diff'
import { Failure, Skeletons } from '../../components/states'
import { Time } from '../../components/time'
import { useConsole } from '../../store/console'
import { useLoaded } from '../../store/use-loaded'
import { ChangeText, fieldName, isLongChange } from '../change-text'

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

/** What sets the fields of one change back to what they were. */
const inverseOf = (entry: HistoryEntry): UpdateTaskBody | null => {
  const patch: Record<string, unknown> = {}
  for (const [field, { from }] of changesOf(entry)) {
    if (field === 'assignee') patch.assigneeId = (from as { id: string } | null)?.id ?? null
    else if (patchFields.has(field)) patch[field] = from
  }
  return Object.keys(patch).length > 0 ? patch : null
}

const isUpdate = ({ type }: HistoryEntry): boolean =>
  ['task.updated', 'task.claimed', 'task.released', 'task.claim_expired'].includes(type)

const isTextOrNone = (value: unknown): boolean => value === null || typeof value === 'string'
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const Entry = ({
  entry,
  canWrite,
  onUndo,
}: {
  entry: HistoryEntry
  canWrite: boolean
  onUndo: (entry: HistoryEntry) => void
}): ReactNode => {
  const changes = isUpdate(entry) ? changesOf(entry) : []
  const long = changes.filter(
    ([field, { from, to }]) => isLongChange(field, from, to) && isTextOrNone(from) && isTextOrNone(to),
  )
  return (
    <li className="history-entry">
      <div className="history-line">
        <b>{entry.actor.keyName}</b>
        {verbs[entry.type] && <span>{verbs[entry.type]}</span>}
        {changes.map(([field, { from, to }]) => (
          <ChangeText key={field} field={field} from={from} to={to} />
        ))}
        <span className="history-end">
          <span className="muted">
            v{entry.version} · <Time at={entry.at} />
          </span>
          {canWrite && isUpdate(entry) && inverseOf(entry) && (
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

export const TaskHistory = ({
  task,
  canWrite,
  accept,
}: {
  task: Task
  canWrite: boolean
  accept: (task: Task) => void
}): ReactNode => {
  const { client, toasts } = useConsole()
  const [limit, setLimit] = useState(entriesPerPage)
  const { data, error, reload } = useLoaded(
    async (signal) => client.tasks.history(task.id, { full: true, limit }, { signal }).then((page) => page),
    [task.id, limit],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version, comment or question is a new entry
  useEffect(() => {
    if (data) reload()
  }, [task.version, task.commentCount, task.openQuestions])

  const undo = async (entry: HistoryEntry): Promise<void> => {
    const patch = inverseOf(entry)
    if (!patch) return
    try {
      accept(await client.tasks.update(task.id, patch, { ifMatch: task.version }))
      toasts.info(`Version ${entry.version} of ${task.id} is undone`)
    } catch (cause) {
      toasts.error(`Could not undo. ${errorText(cause)}`)
    }
  }

  if (error && !data) return <Failure error={error} what="the history" onRetry={reload} />
  if (!data) return <Skeletons count={3} />
  return (
    <>
      <ul className="history">
        {data.data.map((entry) => (
          <Entry key={entry.id} entry={entry} canWrite={canWrite} onUndo={(each) => void undo(each)} />
        ))}
      </ul>
      {data.pagination.hasMore && limit < 100 && (
        <Button kind="quiet" small onClick={() => setLimit(100)}>
          Show more
        </Button>
      )}
    </>
  )
}
