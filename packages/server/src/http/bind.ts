import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Awaitable, isPromise } from '../awaitable.js'
import type { Call } from '../call.js'
import { fenceOf } from '../claims/service.js'
import type { Operation, OperationCall } from '../operations/operation.js'
import type { Result } from '../operations/result.js'
import { runWaiting } from '../operations/waiting.js'
import { type Answer, answerOf, etagOf, isNotModified, sendAnswer } from './answer.js'
import { abandonment, operationCounter } from './call-extras.js'
import { answerOnce, sendOnce } from './idempotent.js'
import { createInputReader } from './input.js'
import { knowledgeKeyOf } from './knowledge-key.js'
import { isList, type Polling, sendList } from './polling.js'
import type { Route } from './route.js'
import type { Validators } from './validation.js'

/** The claim that a write is to be made under. */
const fenceNamed = ({ headers }: FastifyRequest, { kind, checksOwnClaim }: Operation): Call['fence'] => {
  const token = headers['worklore-claim']
  return kind === 'write' && !checksOwnClaim && typeof token === 'string' ? fenceOf(token) : undefined
}

const operationCall = (request: FastifyRequest, reply: FastifyReply, operation: Operation): OperationCall => {
  // Named one by one: every call then has one shape, and a copy of all that is there takes many times as long.
  const { core, plan, db, clock, actor, origin } = request.call
  return {
    core,
    plan,
    db,
    clock,
    actor,
    origin,
    fence: fenceNamed(request, operation),
    actorNow: request.actorNow,
    countOperations: operationCounter(request, reply),
    commits: request.poll?.commits,
    onAbandoned: abandonment(reply),
  }
}

/** Lets an operation be called by its route. */
export const bindRoute = (app: FastifyInstance, route: Route, validators: Validators, polling: Polling): void => {
  const { method, path, operation, handler, takesTicket = false } = route
  const readInput = createInputReader(route, validators)
  const hasKey = path.endsWith('*')
  const isPolled = method === 'GET' && operation.changesOnlyOnCommit !== undefined
  const isListed = method === 'GET' && (isPolled || isList(operation.output))

  const act = async (
    request: FastifyRequest,
    reply: FastifyReply,
    call: OperationCall,
    input: Record<string, unknown>,
    answer: (result: Result) => Answer,
  ): Promise<FastifyReply> => {
    const prepared = await operation.prepare?.(call, input)
    if (method !== 'POST' || operation.isOpen)
      return sendAnswer(reply, answer(await operation.run(call, input, prepared)))
    const attempt = (call: OperationCall) =>
      answerOnce(request, call, async ({ db }) => answer(await operation.run({ ...call, db }, input, prepared)))
    return sendOnce(reply, await runWaiting(operation, call, input as never, attempt))
  }

  const run = (request: FastifyRequest, reply: FastifyReply, input: Record<string, unknown>): Awaitable<unknown> => {
    if (handler) return handler(request, reply, operationCall(request, reply, operation), input)
    const answer = (result: Result): Answer => answerOf(route, input, result)
    const call = operationCall(request, reply, operation)
    if (operation.prepare || method === 'POST') return act(request, reply, call, input, answer)
    const poll = operation.changesOnlyOnCommit?.(input) ? request.poll : undefined
    const send = (result: Result): FastifyReply => {
      // Vectors that came too late for the search may change its answer without a commit.
      if (poll && poll.vectorChange === result.vectorChange)
        return polling.send(request, reply, poll, answer(result).body)
      if (isListed) return sendList(request, reply, answer(result).body)
      return isNotModified(request, result)
        ? reply.code(304).header('etag', etagOf(result)!).send()
        : sendAnswer(reply, answer(result))
    }
    const result = operation.run(call, input)
    if (isPromise(result)) return result.then(send)
    send(result)
    return undefined
  }

  /** What cannot be read is made of nothing that could be counted, and counts as one request. */
  const countIfUnreadable = async <T>(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => T,
  ): Promise<Awaited<T>> => {
    try {
      return await read()
    } catch (error) {
      await operationCall(request, reply, operation).countOperations([undefined])
      throw error
    }
  }

  const runInTurn = (
    request: FastifyRequest,
    reply: FastifyReply,
    input: Record<string, unknown>,
  ): Awaitable<unknown> => {
    if (operation.isWaiting?.(input)) return run(request, reply, input)
    if (isPolled && !request.poll)
      return polling.answer(request, reply, operation, () => runInTurn(request, reply, input))
    const { core, actor, plan } = request.call
    return core.workSlots.run(actor.tenantId, plan.concurrentRequests, () => run(request, reply, input))
  }

  const serve = (request: FastifyRequest, reply: FastifyReply): Awaitable<unknown> => {
    const params = hasKey ? { key: knowledgeKeyOf(request.url) } : (request.params as Record<string, string>)
    const { query, body, headers } = request
    const read = (): Awaitable<Record<string, unknown>> =>
      readInput(request.call, { params, query: query as never, body, headers })
    const input = operation.countsOthers ? countIfUnreadable(request, reply, read) : read()
    return isPromise(input) ? input.then((read) => runInTurn(request, reply, read)) : runInTurn(request, reply, input)
  }

  app.route({
    method,
    url: path,
    exposeHeadRoute: handler === undefined,
    config: { operation, takesTicket },
    // A call that waits asks for nothing that is known, which only its input tells.
    handler:
      isPolled && !operation.isWaiting
        ? (request, reply) => polling.answer(request, reply, operation, () => serve(request, reply))
        : serve,
  })
}
