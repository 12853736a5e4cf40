import { Type } from 'typebox'
import { IfMatch } from '../../../base/versions.js'
import { operation } from '../../../operations/operation.js'
import { dataOf } from '../../../operations/result.js'
import { taskResult } from '../operations.js'
import { Task, TaskId } from '../schema.js'
import { CheckDecision, CheckId } from './schema.js'
import { decideCheck as decide } from './service.js'

export const decideCheck = operation({
  name: 'decideCheck',
  summary: 'Decide a check of a task',
  subject: 'Checks',
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, checkId: CheckId, decision: CheckDecision, ...IfMatch }),
  output: dataOf(Task),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { taskId, checkId, decision, ifMatch }) =>
    taskResult(call, await decide(call, taskId, checkId, decision, { ifMatch })),
})
