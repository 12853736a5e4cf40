import { Type } from 'typebox'
import { operation } from '../../../operations/operation.js'
import { created, dataOf, listOf, page, versioned } from '../../../operations/result.js'
import { TaskId } from '../schema.js'
import { taskVersion } from '../service.js'
import * as list from './list.js'
import { NewAnswer, NewQuestion, Question, QuestionId, QuestionList, WaitSeconds } from './schema.js'
import * as questions from './service.js'
import { waitForAnswer } from './waiting.js'

const subject = 'Questions'
const postErrors = ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'] as const

export const askQuestion = operation({
  name: 'askQuestion',
  summary: 'Ask a question about a task, and release its claim',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, question: NewQuestion }),
  output: dataOf(Question),
  errors: postErrors,
  versionOf: taskVersion,
  run: async (call, { taskId, question }) => created(await questions.askQuestion(call, taskId, question)),
})

export const listQuestions = operation({
  name: 'listQuestions',
  summary: 'List questions, newest first',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  changesOnlyOnCommit: () => true,
  input: QuestionList,
  output: listOf(Question),
  errors: ['NOT_FOUND'],
  run: async (call, query) => page(query.limit ?? 50, await list.listQuestions(call, query)),
})

export const getQuestion = operation({
  name: 'getQuestion',
  summary: 'Get a question, or wait until it is no longer open',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  isWaiting: ({ waitSeconds = 0 }) => waitSeconds > 0,
  input: Type.Object({ questionId: QuestionId, waitSeconds: WaitSeconds }),
  output: dataOf(Question),
  errors: ['NOT_FOUND'],
  wait: (call, { questionId, waitSeconds = 0 }) => waitForAnswer(call, questionId, waitSeconds),
  run: async (call, { questionId }) => {
    const question = await questions.getQuestion(call, questionId)
    return { ...versioned(question), isEmpty: question.state === 'open' }
  },
})

export const answerQuestion = operation({
  name: 'answerQuestion',
  summary: 'Answer a question',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ questionId: QuestionId, answer: NewAnswer }),
  output: dataOf(Question),
  errors: postErrors,
  versionOf: async (call, { questionId }) => (await questions.getQuestion(call, questionId)).version,
  run: async (call, { questionId, answer }) => versioned(await questions.answerQuestion(call, questionId, answer)),
})

export const withdrawQuestion = operation({
  name: 'withdrawQuestion',
  summary: 'Withdraw a question',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ questionId: QuestionId }),
  output: dataOf(Question),
  errors: postErrors,
  versionOf: async (call, { questionId }) => (await questions.getQuestion(call, questionId)).version,
  run: async (call, { questionId }) => versioned(await questions.withdrawQuestion(call, questionId)),
})
