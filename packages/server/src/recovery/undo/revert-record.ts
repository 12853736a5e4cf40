import { AppError } from '../../base/errors.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { bookkeeping, partOf, type RecordKind } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { type Project, projectRecord } from '../../tenancy/projects/schema.js'
import { updateProject } from '../../tenancy/projects/service.js'
import type { KnowledgeMeta } from '../../work/knowledge/fields.js'
import { revertItem } from '../../work/knowledge/restore.js'
import { deleteItem } from '../../work/knowledge/service.js'
import type { Comment } from '../../work/tasks/comments/schema.js'
import { deleteComment } from '../../work/tasks/comments/service.js'
import { revertComment } from '../../work/tasks/comments/trash.js'
import { deleteTask } from '../../work/tasks/delete.js'
import { moveBack } from '../../work/tasks/move/move.js'
import type { Question } from '../../work/tasks/questions/schema.js'
import { revertQuestion } from '../../work/tasks/questions/service.js'
import { requeueAttempted } from '../../work/tasks/queue/queue.js'
import { parseVersion } from '../../work/tasks/restore/kept-version.js'
import { revertTask } from '../../work/tasks/restore/revert.js'
import { touchTask } from '../../work/tasks/service.js'
import { countTasksByStatus } from '../../work/tasks/statuses/service.js'
import { deleteProject } from '../deletions/project.js'
import { currentVersion } from '../history/current-version.js'

/** A record that is to be put back; `isForced` also takes what belongs to it and was made by others. */
export interface Target {
  record: string
  projectId: string
  isForced: boolean
  skipped: SkippedLink[]
  /** Whether a knowledge item may swap keys with another item. */
  mayExchange(otherId: string): Promise<boolean>
}

interface Reverter {
  /** Puts the fields of an earlier version in place of those that a living record has. */
  revert(call: Call, target: Target, wanted: string): Promise<void>
  /** Takes a record that was created away; answers how. */
  remove(call: Call, target: Target): Promise<'deleted' | 'reverted'>
}

const reverters: Record<RecordKind, Reverter> = {
  task: {
    revert: async (call, { record, skipped }, wanted) => {
      const version = parseVersion(wanted)
      const task = await moveBack(call, await touchTask(call, record), version, skipped)
      await revertTask(call, task, version, skipped)
    },
    remove: async (call, { record, isForced }) => {
      try {
        await deleteTask(call, record, isForced, {})
        return 'deleted'
      } catch (error) {
        if (!(error instanceof AppError) || error.reason !== 'not_empty') throw error
        throw new AppError(
          'others_work',
          `${record} has subtasks created by others. Include conflicts to delete them too.`,
        )
      }
    },
  },
  comment: {
    revert: async (call, { record }, wanted) => {
      const { taskId, id } = partOf(record)
      await revertComment(call, taskId, id, (JSON.parse(wanted) as Comment).body)
    },
    remove: async (call, { record }) => {
      const { taskId, id } = partOf(record)
      await deleteComment(call, taskId, id, {})
      return 'deleted'
    },
  },
  question: {
    revert: (call, { record }, wanted) => revertQuestion(call, partOf(record).id, JSON.parse(wanted) as Question),
    remove: async (call, { record }) => {
      await revertQuestion(call, partOf(record).id, { state: 'withdrawn', answer: null })
      return 'reverted'
    },
  },
  knowledge: {
    revert: (call, { record, skipped, mayExchange }, wanted) => revertItem(call, record, wanted, skipped, mayExchange),
    remove: async (call, { record }) => {
      const { key, projectId } = JSON.parse((await currentVersion(call, 'knowledge', record))!) as KnowledgeMeta
      await deleteItem(call, key, projectId ?? undefined, {})
      return 'deleted'
    },
  },
  project: {
    revert: async (call, { record }, wanted) => {
      const fields = projectRecord.restored(JSON.parse(wanted) as Project)
      const hooks = { maxAttemptsChanged: requeueAttempted, countTasksByStatus }
      await updateProject(call, hooks, record, fields, {})
    },
    remove: async (call, { record, isForced }) => {
      await deleteProject(call, record, isForced, {})
      return 'deleted'
    },
  },
}

export const revertRecord = (call: Call, kind: RecordKind, target: Target, wanted: string): Promise<void> =>
  reverters[kind].revert(call, target, wanted)

export const removeRecord = (call: Call, kind: RecordKind, target: Target): Promise<'deleted' | 'reverted'> =>
  reverters[kind].remove(call, target)

/** Whether two versions of a record have the same content. A null field equals a missing one. */
export const isSameState = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((json) => {
    const fields = JSON.parse(json) as Record<string, unknown>
    for (const name of bookkeeping) delete fields[name]
    const { assignee } = fields as { assignee?: { id: string } | null }
    if (assignee) fields.assignee = assignee.id
    return JSON.stringify(
      Object.entries(fields)
        .filter(([, value]) => value !== null)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  })
  return first === second
}

/** Null where the record is gone. */
export const versionOf = (state: string | undefined): number | null =>
  state === undefined ? null : (JSON.parse(state) as { version: number }).version

/** What people call a record, by one of its states; comments and questions go by their task. */
export const titleOf = async (
  call: Call,
  kind: RecordKind,
  record: string,
  state: string | null | undefined,
): Promise<string | null> => {
  const isPart = kind === 'comment' || kind === 'question'
  const named = isPart ? await currentVersion(call, 'task', partOf(record).taskId) : state
  if (!named || kind === 'knowledge') return null
  const { title, name } = JSON.parse(named) as { title?: string; name?: string }
  return title ?? name ?? null
}
