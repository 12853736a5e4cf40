import { Type } from 'typebox'
import { nullable } from '../../../base/fields.js'
import { operation } from '../../../operations/operation.js'
import { dataOf } from '../../../operations/result.js'
import { taskResult } from '../operations.js'
import { explainNoneReady } from '../queue/none-ready.js'
import { Task, TaskId } from '../schema.js'
import { ClaimRequest, ClaimToken, NextRequest, ReleaseRequest, RenewRequest } from './schema.js'
import * as claims from './service.js'
import { waitForNext } from './waiting.js'

const subject = 'Claims'
const scope = 'tasks:write'
const postErrors = ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'] as const

export const nextTask = operation({
  name: 'nextTask',
  summary: 'Claim the next ready task, or wait for one',
  subject,
  kind: 'write',
  scope,
  isWaiting: ({ request: { waitSeconds = 0 } = {} }) => waitSeconds > 0,
  input: Type.Object({ request: Type.Optional(NextRequest) }),
  output: Type.Object({
    data: nullable(Task),
    message: Type.Optional(
      Type.String({
        description: 'Where `data` is null: why no task is ready, by counts.',
        examples: ['No task is ready: 1 held by others, 2 blocked.'],
      }),
    ),
  }),
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  wait: (call, { request = {} }) => waitForNext(call, request),
  run: async (call, { request = {} }) => {
    const filter = await claims.resolveNext(call, request)
    const take = request.peek ? claims.peekNext(call, filter) : claims.claimNext(call, filter, request)
    const task = await take
    return task ? taskResult(call, task) : { data: 'null', isEmpty: true }
  },
  explainEmpty: async (call, { request = {} }) => {
    const { text } = await explainNoneReady(call, request, await claims.resolveNext(call, request))
    return { message: text }
  },
})

export const claimTask = operation({
  name: 'claimTask',
  summary: 'Claim a task',
  subject,
  kind: 'write',
  isBatchable: true,
  scope,
  input: Type.Object({ taskId: TaskId, request: Type.Optional(ClaimRequest) }),
  output: dataOf(Task),
  errors: postErrors,
  run: async (call, { taskId, request = {} }) => taskResult(call, await claims.claimTask(call, taskId, request)),
})

export const renewClaim = operation({
  name: 'renewClaim',
  summary: 'Extend the lease of a claim',
  subject,
  kind: 'write',
  isBatchable: true,
  scope,
  checksOwnClaim: true,
  input: Type.Object({ taskId: TaskId, claim: ClaimToken, request: Type.Optional(RenewRequest) }),
  output: dataOf(Task),
  errors: postErrors,
  run: async (call, { taskId, claim, request = {} }) =>
    taskResult(call, await claims.renewClaim(call, taskId, claim, request.leaseSeconds)),
})

export const releaseClaim = operation({
  name: 'releaseClaim',
  summary: 'Release a claim and set the outcome',
  subject,
  kind: 'write',
  isBatchable: true,
  scope,
  checksOwnClaim: true,
  input: Type.Object({ taskId: TaskId, claim: ClaimToken, request: Type.Optional(ReleaseRequest) }),
  output: dataOf(Task),
  errors: postErrors,
  run: async (call, { taskId, claim, request = {} }) =>
    taskResult(call, await claims.releaseClaim(call, taskId, claim, request)),
})
