import { isoTime } from '../../../base/clock.js'
import type { Json } from '../../../base/json.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Call } from '../../../operations/call.js'
import { countComments, findTask } from '../service.js'
import type { Comment } from './schema.js'
import { recordComment, requireAuthor } from './service.js'
import * as store from './store.js'
import { deleteTaskComments } from './store.js'

/** Brings a deleted comment of a task that is there back, as its next version. */
export const restoreComment = async (call: Call, deleted: Json<Comment>, undoes?: string): Promise<void> => {
  const before = JSON.parse(deleted) as Comment
  const { projectId } = (await findTask(call, before.taskId)).doc
  requireAuthor(call.actor, before)
  const comment: Comment = { ...before, version: before.version + 1, updatedAt: isoTime(call.clock()) }
  await store.insertComment(call.db, call.actor.tenantId, projectId, comment)
  await countComments(call, comment.taskId, 1)
  await recordComment({ ...call, undoes: undoes ?? call.undoes }, 'comment.restored', null, comment, projectId)
}

/** Gives a comment the text of another version. */
export const revertComment = async (call: Call, taskId: string, id: string, body: string) => {
  const { projectId } = (await findTask(call, taskId)).doc
  const before = (await store.findComment(call.db, call.actor.tenantId, taskId, id))!
  requireAuthor(call.actor, before)
  const after = { ...before, body, version: before.version + 1, updatedAt: isoTime(call.clock()) }
  await store.updateComment(call.db, call.actor.tenantId, after)
  await recordComment(call, 'comment.updated', before, after, projectId)
}

/** Removes some comments of a task that is purged; answers how many. */
export const purgeComments = async ({ db, actor }: Call, taskId: string, count: number): Promise<number> => {
  const lengths = await deleteTaskComments(db, actor.tenantId, taskId, count)
  const bytes = lengths.reduce((sum, length) => sum + length, 0)
  await countStoredBytes(db, actor.tenantId, -bytes)
  return lengths.length
}
