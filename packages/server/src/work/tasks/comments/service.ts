import { isoTime } from '../../../base/clock.js'
import { AppError, invalid, notFound } from '../../../base/errors.js'
import type { PageQuery } from '../../../base/fields.js'
import { newTimedId } from '../../../base/ids.js'
import type { Json } from '../../../base/json.js'
import { type Page, pagedList } from '../../../base/paging.js'
import { isBlank, isStorable, utf8Length } from '../../../base/text.js'
import { checkPreconditions, type Preconditions } from '../../../base/versions.js'
import { maxEventDataLength, record } from '../../../changelog/record.js'
import { recordName } from '../../../changelog/versions/version.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import { type Actor, actorRef, holdsScope } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import type { ProjectContents } from '../../../tenancy/projects/service.js'
import { notifyMentions } from '../../../tenancy/users/mentions.js'
import { countComments, findTask, getTask, type StoredTask, taskExists } from '../service.js'
import { type Comment, maxBodyBytes } from './schema.js'
import * as store from './store.js'
import { hasComments as findComments } from './store.js'

const checkBody = (body: string, path: string): void => {
  if (isBlank(body)) throw invalid({ path, message: 'must not be blank' })
  if (!isStorable(body)) throw invalid({ path, message: 'must be valid Unicode text without NUL' })
  if (utf8Length(body) > maxBodyBytes) throw invalid({ path, message: 'must have at most 64 KiB of UTF-8' })
}

const existing = async (call: Call, taskId: string, id: string): Promise<Comment> => {
  const comment = await store.findComment(call.db, call.actor.tenantId, taskId, id)
  if (!comment) throw notFound('comment', id)
  return comment
}

export const requireAuthor = (actor: Actor, { createdBy }: Comment): void => {
  if (createdBy.keyId === actor.keyId || holdsScope(actor, 'admin')) return
  throw new AppError('author', 'Only the key that wrote a comment, or an admin key, can change, delete or restore it.')
}

const shortened = (comment: Comment): string => {
  const json = JSON.stringify(comment)
  return json.length <= maxEventDataLength ? json : JSON.stringify({ ...comment, body: undefined, truncated: true })
}

const storedBytesOf = (comment: Comment): number => utf8Length(JSON.stringify(comment))

const nameOf = ({ taskId, id }: Pick<Comment, 'taskId' | 'id'>): string => recordName.comment(taskId, id)

const keptOf = (before: Comment | null, version: number) => ({
  version,
  beforeVersion: before?.version ?? null,
  before: before && JSON.stringify(before),
})

/** Tells of a comment that was written or changed. */
export const recordComment = async (
  call: Call,
  type: 'comment.created' | 'comment.updated' | 'comment.restored',
  before: Comment | null,
  after: Comment,
  projectId: string,
): Promise<void> => {
  const previous = type === 'comment.updated' ? JSON.stringify({ body: before!.body }) : undefined
  await record(call, {
    type,
    // Whoever follows the log finds the task by it.
    subject: nameOf(after),
    about: after.taskId,
    projectId,
    growthBytes: storedBytesOf(after) - (before ? storedBytesOf(before) : 0),
    data: shortened(after),
    ...(previous && { previous: previous.length <= maxEventDataLength ? previous : '{"truncated":true}' }),
    kept: { record: nameOf(after), ...keptOf(before, after.version) },
  })
}

/** Tells users who are mentioned in a comment. */
const notifyOfComment = (call: Call, before: Comment | null, after: Comment, task: StoredTask['doc']): Promise<void> =>
  notifyMentions(call, {
    before: before?.body ?? '',
    after: after.body,
    cause: nameOf(after),
    taskId: after.taskId,
    commentId: after.id,
    projectId: task.projectId,
    title: task.title,
  })

export const listComments = async (call: Call, taskId: string, query: PageQuery): Promise<Page<Json<Comment>>> => {
  await getTask(call, taskId)
  const { tenantId } = call.actor
  const page = await pagedList(query, {
    list: [tenantId, 'comments', taskId],
    kinds: ['integer', 'text'],
    read: (after, count) =>
      store.listComments(call.db, tenantId, taskId, after && { createdAtMs: after[0], id: after[1] }, count),
    placeOf: ({ created_at, id }) => [created_at, id],
  })
  return { ...page, items: page.items.map(({ doc }) => doc) }
}

/** Comments of a task from the newest or from a place on, the newest first. */
export const newestComments = async (
  call: Call,
  taskId: string,
  from: store.CommentPosition | undefined,
  count: number,
): Promise<Json<Comment>[]> => {
  await getTask(call, taskId)
  return store.listNewestComments(call.db, call.actor.tenantId, taskId, from, count)
}

export const getComment = async (call: Call, taskId: string, id: string): Promise<Comment> => {
  await getTask(call, taskId)
  return existing(call, taskId, id)
}

/** A comment of a task that is there, as its next version will be kept. */
export const currentCommentVersion = async (
  call: Call,
  taskId: string,
  id: string,
): Promise<Json<Comment> | undefined> => {
  const comment = await store.findComment(call.db, call.actor.tenantId, taskId, id)
  return comment && (await taskExists(call, taskId)) ? JSON.stringify(comment) : undefined
}

export const addComment = async (call: Call, taskId: string, body: string, path = 'comment'): Promise<Comment> => {
  checkBody(body, path)
  return changing(call, async (call) => {
    const { doc } = await findTask(call, taskId)
    const nowMs = call.clock()
    const now = isoTime(nowMs)
    const comment: Comment = {
      // Those of one batch keep their order.
      id: newTimedId('cmt', nowMs),
      taskId,
      body,
      version: 1,
      createdAt: now,
      updatedAt: now,
      createdBy: actorRef(call.actor),
    }
    await store.insertComment(call.db, call.actor.tenantId, doc.projectId, comment)
    await countComments(call, taskId, 1)
    await recordComment(call, 'comment.created', null, comment, doc.projectId)
    await notifyOfComment(call, null, comment, doc)
    return comment
  })
}

export const updateComment = async (
  call: Call,
  taskId: string,
  id: string,
  body: string,
  preconditions: Preconditions,
): Promise<Comment> => {
  checkBody(body, 'body')
  return changing(call, async (call) => {
    const { doc } = await findTask(call, taskId)
    const before = await existing(call, taskId, id)
    requireAuthor(call.actor, before)
    checkPreconditions(preconditions, before.version)
    if (before.body === body) return before
    const after = { ...before, body, version: before.version + 1, updatedAt: isoTime(call.clock()) }
    await store.updateComment(call.db, call.actor.tenantId, after)
    await recordComment(call, 'comment.updated', before, after, doc.projectId)
    await notifyOfComment(call, before, after, doc)
    return after
  })
}

/** How many comments tasks have that came back; comments of a deleted task stay until it is purged. */
export const commentsLeftOf = (call: Call, taskIds: readonly string[]): Promise<store.TaskComments[]> =>
  store.countByTask(call.db, call.actor.tenantId, taskIds)

export const projectComments: ProjectContents = {
  // Comments are part of their tasks, which are asked for themselves.
  hasAny: async () => false,
  deleteSome: async (call, { id }, count) => {
    const { tenantId } = call.actor
    const deleted = await store.deleteProjectComments(call.db, tenantId, id, count)
    const bytes = deleted.reduce((sum, comment) => sum + storedBytesOf(comment), 0)
    await countStoredBytes(call.db, tenantId, -bytes)
    return deleted.map((comment) => ({
      type: 'comment.deleted',
      record: nameOf(comment),
      projectId: id,
      ...keptOf(comment, comment.version),
    }))
  },
}

export const deleteComment = (call: Call, taskId: string, id: string, preconditions: Preconditions): Promise<void> =>
  changing(call, async (call) => {
    const { doc } = await findTask(call, taskId)
    const comment = await existing(call, taskId, id)
    requireAuthor(call.actor, comment)
    checkPreconditions(preconditions, comment.version)
    await store.deleteComment(call.db, call.actor.tenantId, taskId, id)
    await countComments(call, taskId, -1)
    await record(call, {
      type: 'comment.deleted',
      subject: nameOf(comment),
      about: taskId,
      projectId: doc.projectId,
      growthBytes: -storedBytesOf(comment),
      data: shortened(comment),
      entry: { title: comment.body, count: 1 },
      kept: { record: nameOf(comment), ...keptOf(comment, comment.version) },
    })
  })

/** Whether the tenant has any comments that could be searched. */
export const hasComments = (call: Call): Promise<boolean> => findComments(call.db, call.actor.tenantId)
