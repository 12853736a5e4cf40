import { Type } from 'typebox'
import { operation } from '../../operations/operation.js'
import { data, dataOf } from '../../operations/result.js'
import { TaskId } from '../tasks/schema.js'
import { BudgetTokens, Context, defaultContextTokens } from './schema.js'
import { readContext } from './service.js'

export const getTaskContext = operation({
  name: 'getTaskContext',
  summary: 'Get what a worker on a task needs, within a token budget',
  subject: 'Claims',
  kind: 'read',
  scope: 'tasks:read',
  isComposite: true,
  input: Type.Object({ taskId: TaskId, budgetTokens: BudgetTokens }),
  output: dataOf(Context),
  errors: ['NOT_FOUND'],
  run: async (call, { taskId, budgetTokens = defaultContextTokens }) =>
    data(await readContext(call, taskId, budgetTokens)),
})
