import { type ChangeOf, type Comment, GoneError, isChangeOf, ValidationError } from 'worklore-client'
import { type CommentChanges, noCommentChanges } from './comments-outward.js'
import type { SyncContext } from './context.js'
import { issueOf } from './link.js'
import { copyFromGitHub, type Writers } from './markers.js'
import { digest } from './text.js'

/** What changed on this side since a position. */
export interface ChangesHere {
  /** Tasks that were written, or had comments written. */
  taskIds: Set<string>
  comments: Map<string, CommentChanges>
  /** Tasks that were deleted and are there again: what changed on GitHub meanwhile passed them by. */
  restored: Set<string>
  /** Issues of tasks that were deleted. */
  deleted: Map<number, string>
  /** The position after what was read. */
  events: number
}

const irrelevant = ['task.ranked', 'task.stale', 'task.unblocked']

/** A copy that has the text it was written with is the bridge's own write. */
const isUntouchedCopy = (comment: Comment, writers: Writers): boolean => {
  const copy = copyFromGitHub(comment, writers)
  return copy !== undefined && digest(copy.text) === copy.digest
}

/** Changes after a position; undefined where the log does not reach back so far. */
export const changesHere = async (context: SyncContext, after: number): Promise<ChangesHere | undefined> => {
  const { wl, repo, projectId, report, writers } = context
  const changes: ChangesHere = {
    taskIds: new Set(),
    comments: new Map(),
    restored: new Set(),
    deleted: new Map(),
    events: after,
  }

  const noteComment = (event: ChangeOf<'comment'>): void => {
    const { body = '', truncated: _, ...rest } = event.data
    const comment: Comment = { ...rest, body }
    const isDeleted = event.type === 'comment.deleted'
    if (!isDeleted && isUntouchedCopy(comment, writers)) return
    const known = changes.comments.get(comment.taskId) ?? noCommentChanges()
    changes.comments.set(comment.taskId, known)
    changes.taskIds.add(comment.taskId)
    if (isDeleted) known.deleted.push(comment)
    else known.touched.add(comment.id)
    if (event.type === 'comment.created' || event.type === 'comment.restored') known.created.add(comment.id)
  }

  const noteTask = (event: ChangeOf<'task'>): void => {
    const task = event.data
    const number = 'externalId' in task ? issueOf(task, repo) : undefined
    if (event.type === 'task.deleted') {
      changes.taskIds.delete(task.id)
      if (number !== undefined) changes.deleted.set(number, task.id)
    } else if (event.projectId === projectId || number !== undefined) {
      changes.taskIds.add(task.id)
      if (event.type === 'task.restored') changes.restored.add(task.id)
      if (number !== undefined) changes.deleted.delete(number)
    }
  }

  try {
    for await (const page of wl.events.list({ after, types: ['task.*', 'comment.*'], limit: 500 }).pages()) {
      for (const event of page.data) {
        if (irrelevant.includes(event.type)) continue
        if (isChangeOf(event, 'comment')) noteComment(event)
        else if (isChangeOf(event, 'task')) noteTask(event)
      }
      changes.events = page.pagination.nextAfter
      report.progress('events read', changes.events - after)
    }
  } catch (error) {
    // Trimmed, or of a log that is no more: after a restore the last event may be an earlier one.
    if (error instanceof GoneError || error instanceof ValidationError) return undefined
    throw error
  }
  return changes
}

/** The position of what happens from now on. */
export const latestEvent = async ({ wl }: SyncContext): Promise<number> =>
  (await wl.events.list({ after: 'latest', limit: 1 })).pagination.nextAfter
