import { Type } from 'typebox'
import { PageQuery } from '../../../base/fields.js'
import { IfMatch } from '../../../base/versions.js'
import { operation } from '../../../operations/operation.js'
import { created, dataOf, deleted, deletedBy, listOf, page, versioned } from '../../../operations/result.js'
import { TaskId } from '../schema.js'
import { Comment, CommentId, CommentText } from './schema.js'
import * as comments from './service.js'

const subject = 'Comments'

export const listComments = operation({
  name: 'listComments',
  summary: 'List the comments of a task, oldest first',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  changesOnlyOnCommit: () => true,
  input: Type.Object({ taskId: TaskId, ...PageQuery.properties }),
  output: listOf(Comment),
  errors: ['NOT_FOUND'],
  run: async (call, { taskId, ...query }) => page(query.limit ?? 50, await comments.listComments(call, taskId, query)),
})

export const getComment = operation({
  name: 'getComment',
  summary: 'Get a comment',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  input: Type.Object({ taskId: TaskId, commentId: CommentId }),
  output: dataOf(Comment),
  errors: ['NOT_FOUND'],
  run: async (call, { taskId, commentId }) => versioned(await comments.getComment(call, taskId, commentId)),
})

export const createComment = operation({
  name: 'createComment',
  summary: 'Comment on a task',
  subject,
  kind: 'write',
  allowsViewers: true,
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, comment: CommentText }),
  output: dataOf(Comment),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { taskId, comment }) => created(await comments.addComment(call, taskId, comment.body, 'body')),
})

export const updateComment = operation({
  name: 'updateComment',
  summary: 'Change a comment',
  subject,
  kind: 'write',
  allowsViewers: true,
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, commentId: CommentId, comment: CommentText, ...IfMatch }),
  output: dataOf(Comment),
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  run: async (call, { taskId, commentId, comment, ifMatch }) =>
    versioned(await comments.updateComment(call, taskId, commentId, comment.body, { ifMatch })),
})

export const deleteComment = operation({
  name: 'deleteComment',
  summary: 'Delete a comment',
  subject,
  kind: 'write',
  allowsViewers: true,
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, commentId: CommentId, ...IfMatch }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  run: async (call, { taskId, commentId, ifMatch }) => {
    await comments.deleteComment(call, taskId, commentId, { ifMatch })
    return deleted({ id: commentId })
  },
})
