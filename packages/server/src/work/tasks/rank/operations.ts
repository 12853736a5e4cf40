import { Type } from 'typebox'
import { operation } from '../../../operations/operation.js'
import { dataOf } from '../../../operations/result.js'
import { taskResult } from '../operations.js'
import { Task, TaskId } from '../schema.js'
import { taskVersion } from '../service.js'
import * as ranks from './rank.js'
import { TaskRank } from './schema.js'

export const rankTask = operation({
  name: 'rankTask',
  summary: 'Order a task among those of its project',
  subject: 'Tasks',
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, rank: TaskRank }),
  output: dataOf(Task),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  versionOf: taskVersion,
  run: async (call, { taskId, rank }) => taskResult(call, await ranks.rankTask(call, taskId, rank)),
})
