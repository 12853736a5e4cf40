import { Type } from 'typebox'
import { maxReferenceLength, ProjectRefText } from '../../../base/fields.js'
import { operation } from '../../../operations/operation.js'
import { dataOf } from '../../../operations/result.js'
import { taskResult } from '../operations.js'
import { Task, TaskId } from '../schema.js'
import { taskVersion } from '../service.js'
import * as moves from './move.js'

const TaskMove = Type.Object(
  {
    projectId: Type.String({
      minLength: 1,
      maxLength: maxReferenceLength,
      description: ProjectRefText,
      examples: ['ACME'],
    }),
  },
  { additionalProperties: false },
)
export const moveTask = operation({
  name: 'moveTask',
  summary: 'Move a task and its subtasks to another project',
  subject: 'Tasks',
  kind: 'write',
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, move: TaskMove }),
  output: dataOf(Task),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  versionOf: taskVersion,
  run: async (call, { taskId, move }) => taskResult(call, await moves.moveTask(call, taskId, move.projectId)),
})
