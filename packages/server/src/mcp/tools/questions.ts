import { Type } from 'typebox'
import { getTask } from '../../work/tasks/operations.js'
import { askQuestion as askQuestionOperation } from '../../work/tasks/questions/operations.js'
import { maxBodyBytes } from '../../work/tasks/questions/schema.js'
import type { Task } from '../../work/tasks/schema.js'
import { userRef } from '../references.js'
import { run } from '../run.js'
import { taskLine } from '../text/task-line.js'
import { tool } from '../tool.js'

export const askQuestion = tool({
  name: 'ask_question',
  title: 'Ask question',
  description: 'Ask people about a task, which waits for the answer; with claim, ends it',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: [askQuestionOperation],
  input: Type.Object({
    id: Type.String(),
    text: Type.String({ minLength: 1, maxLength: maxBodyBytes }),
    options: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 2, maxItems: 10 })),
    to: Type.Optional(Type.String({ description: 'user id or handle' })),
    claim: Type.Optional(Type.String()),
  }),
  run: async (call, { id, text, options, to, claim }) => {
    const asked = {
      body: text,
      ...(options && { options }),
      ...(to !== undefined && { to: await userRef(call, to) }),
    }
    const { data: question } = await run(call, askQuestionOperation, { taskId: id, question: asked }, claim)
    const task = (await run(call, getTask, { taskId: id })).data as Task
    const released = claim === undefined ? '' : ` Claim ${claim} has ended: go on with another task.`
    return `${question.id} asked.${released}\n${await taskLine(call, task)}`
  },
})
