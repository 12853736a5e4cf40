import { Type } from 'typebox'
import { invalid } from '../../../base/errors.js'
import { nullable } from '../../../base/fields.js'
import type { Json } from '../../../base/json.js'
import { type OperationCall, operation } from '../../../operations/operation.js'
import { dataOf } from '../../../operations/result.js'
import { refusePaused } from '../../../tenancy/pauses/service.js'
import { taskResult } from '../operations.js'
import { explainNoneReady } from '../queue/none-ready.js'
import { Task, TaskId } from '../schema.js'
import { taskVersion } from '../service.js'
import { ClaimRequest, ClaimToken, NextRequest, ReleaseRequest, RenewRequest } from './schema.js'
import * as claims from './service.js'
import { noteWaiting, waitForNext } from './waiting.js'

const subject = 'Claims'
const scope = 'tasks:write'
/** With `contextTokens`; null where it failed. A reference, since contexts are made of tasks. */
const ClaimContext = Type.Optional(nullable(Type.Unsafe<object>({ $ref: '#/components/schemas/Context' })))

/** The context of the task that was claimed, for a call that wants it. */
const contextBeside = (call: OperationCall, contextTokens: number | undefined, data: Json<unknown>) => {
  if (contextTokens === undefined) return undefined
  const { id, claim } = JSON.parse(data) as Task
  return call.core.hooks
    .contextBeside(call, { id, token: claim?.token }, contextTokens)
    .then((context) => ({ context }))
}

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
    context: ClaimContext,
    message: Type.Optional(
      Type.String({
        description: 'Where `data` is null: why no task is ready, by counts.',
        examples: ['No task is ready: 1 held by others, 2 blocked.'],
      }),
    ),
  }),
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  wait: (call, { request = {} }) => waitForNext(call, request),
  prepare: (call, { request = {} }) => (Array.isArray(request.label) ? claims.findBefore(call, request) : undefined),
  run: async (call, { request = {} }, foundBefore) => {
    const filter = await claims.resolveNext(call, request)
    // What is known already spares the transaction, in which it is read again.
    refusePaused(call.actor)
    const take = request.peek
      ? claims.peekNext(call, filter, foundBefore)
      : claims.claimNext(call, filter, request, foundBefore)
    const task = await take
    if (task) return taskResult(call, task)
    await claims.refusePausedProjects(call, filter)
    noteWaiting(call, request)
    return { data: 'null', isEmpty: true }
  },
  complete: (call, { request }, data) => contextBeside(call, request?.contextTokens, data),
  explainEmpty: async (call, { request = {} }) => ({
    message: await explainNoneReady(call, request, await claims.resolveNext(call, request)),
  }),
})

export const claimTask = operation({
  name: 'claimTask',
  summary: 'Claim a task',
  subject,
  kind: 'write',
  isBatchable: true,
  scope,
  input: Type.Object({ taskId: TaskId, request: Type.Optional(ClaimRequest) }),
  output: Type.Object({ data: Task, context: ClaimContext }),
  errors: postErrors,
  // A batch does not prepare its writes.
  prepare: (_call, { request }) => (request?.contextTokens === undefined ? undefined : ('alone' as const)),
  complete: (call, { request }, data) => contextBeside(call, request?.contextTokens, data),
  versionOf: taskVersion,
  run: async (call, { taskId, request = {} }, prepared) => {
    const { contextTokens, ...claim } = request
    if (contextTokens !== undefined && prepared !== 'alone') {
      throw invalid({ path: 'contextTokens', message: 'is not supported in a batch' })
    }
    return taskResult(call, await claims.claimTask(call, taskId, claim))
  },
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
  versionOf: taskVersion,
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
  versionOf: taskVersion,
  run: async (call, { taskId, claim, request = {} }) =>
    taskResult(call, await claims.releaseClaim(call, taskId, claim, request)),
})
