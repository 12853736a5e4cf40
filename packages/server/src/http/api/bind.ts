import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Awaitable, andThen, isPromise } from '../../base/awaitable.js'
import { invalid } from '../../base/errors.js'
import type { OperationCall } from '../../operations/operation.js'
import type { Result } from '../../operations/result.js'
import { currentCall, type Outcome, runOperation } from '../../operations/run-operation.js'
import { isList, type Polling, sendList } from '../caching/polling.js'
import { tooManyUnread } from '../protection/unsent.js'
import type { Route } from '../route.js'
import { type Answer, answerOf, etagOf, isNotModified, type SentAnswer, sendAnswer } from './answer.js'
import { abandonment, operationCounter } from './call-extras.js'
import { encodeInTurns, largeLength } from './encode.js'
import { onceOf } from './idempotent.js'
import { createInputReader } from './input.js'
import { claimOf } from './request.js'
import type { Validators } from './validation.js'

/** The key in a path, read from the address itself and decoded once, so that `a%2Fb` and `a/b` are the same key. */
const knowledgeKeyOf = (url: string): string => {
  // Counted in slashes, since the words before may be percent-encoded too.
  const start = url.indexOf('/', url.indexOf('/', 1) + 1) + 1
  const end = url.indexOf('?')
  try {
    return decodeURIComponent(url.slice(start, end < 0 ? undefined : end))
  } catch {
    throw invalid({ path: 'key', message: 'is not valid percent-encoded UTF-8 text' })
  }
}

/** Waits until a large response may be sent. A write has already happened, so its response is never refused. */
const reserveResponse = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> => {
  const { server, call, method } = request
  if (method !== 'GET') return
  const entry = { tenantId: call.actor.tenantId, bytes, isStream: false }
  if (!(await server.unsentBytes.reserve(reply.raw, entry))) throw tooManyUnread()
}

const operationCall = (request: FastifyRequest, reply: FastifyReply): OperationCall => {
  // Named one by one: every call then has one shape, and a copy of all that is there takes many times as long.
  const { core, plan, db, clock, actor, origin } = request.call
  return {
    core,
    plan,
    db,
    clock,
    actor,
    origin,
    fence: undefined,
    basis: undefined,
    actorNow: request.actorNow,
    countOperations: operationCounter(request, reply),
    commits: request.poll?.commits,
    reserveResponse: (bytes) => reserveResponse(request, reply, bytes),
    onAbandoned: abandonment(reply),
    beginWaiting: () => request.endWork(),
  }
}

/** Lets an operation be called by its route. */
export const bindRoute = (app: FastifyInstance, route: Route, validators: Validators, polling: Polling): void => {
  const { method, path, operation, handler } = route
  const readInput = createInputReader(route, validators)
  const hasKey = path.endsWith('*')
  const isPolled = method === 'GET' && operation.changesOnlyOnCommit !== undefined
  const isListed = method === 'GET' && (isPolled || isList(operation.output))
  const isRepeatable = method === 'POST' && !operation.isOpen

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    input: Record<string, unknown>,
    outcome: Outcome,
    answer: SentAnswer,
  ): FastifyReply => {
    if (outcome.replay) return sendAnswer(reply.header('idempotency-replayed', 'true'), answer)
    const poll = operation.changesOnlyOnCommit?.(input) ? request.poll : undefined
    // Vectors that came too late for the search may change its answer without a commit.
    if (poll && poll.vectorChange === outcome.vectorChange) {
      return polling.send(request, reply, poll, answer.body, outcome.changesAt)
    }
    if (isListed) return sendList(request, reply, answer.body)
    return isNotModified(request, outcome)
      ? reply.code(304).header('etag', etagOf(outcome)!).send()
      : sendAnswer(reply, answer)
  }

  /** Sends a response. A large one is encoded in separate scheduler turns, because producing it already took long. */
  const sendInTurns = (
    request: FastifyRequest,
    reply: FastifyReply,
    input: Record<string, unknown>,
    outcome: Outcome,
  ): Awaitable<unknown> => {
    const { core, actor } = request.call
    const answer = outcome.replay ?? answerOf(route, input, outcome)
    if (answer.body.length < largeLength) {
      send(request, reply, input, outcome, answer)
      // Fastify sends an empty response if a handler resolves without a value before a streamed response has begun.
      return reply.sent ? undefined : reply
    }
    return reserveResponse(request, reply, answer.body.length)
      .then(() => {
        const nextTurn = (): Awaitable<void> => {
          request.server.unsentBytes.noteProgress()
          return core.scheduler.turn(actor.tenantId)
        }
        return encodeInTurns(answer.body, nextTurn)
      })
      .then((body) => send(request, reply, input, outcome, { ...answer, body }))
  }

  const run = (
    request: FastifyRequest,
    reply: FastifyReply,
    call: OperationCall,
    input: Record<string, unknown>,
  ): Awaitable<unknown> => {
    if (isPolled && !request.poll && !operation.isWaiting?.(input)) {
      return polling.answer(request, reply, operation, () =>
        run(request, reply, { ...call, commits: request.poll?.commits }, input),
      )
    }
    if (handler) return handler(request, reply, call, input)
    const answer = (result: Result): Answer => answerOf(route, input, result)
    const once = isRepeatable ? onceOf(request, answer) : undefined
    const outcome = runOperation(call, operation, input, { claim: claimOf(request), once })
    if (isPromise(outcome)) return outcome.then((outcome) => sendInTurns(request, reply, input, outcome))
    return sendInTurns(request, reply, input, outcome)
  }

  const readAndRun = (request: FastifyRequest, reply: FastifyReply, call: OperationCall): Awaitable<unknown> => {
    const params = hasKey ? { key: knowledgeKeyOf(request.url) } : (request.params as Record<string, string>)
    const { query, body, headers } = request
    const input = readInput({ params, query: query as never, body, headers })
    return run(request, reply, call, input)
  }

  /** A key that has ended meanwhile is told so, and nothing about its input. */
  const serve = (request: FastifyRequest, reply: FastifyReply): Awaitable<unknown> =>
    andThen(currentCall(operationCall(request, reply), operation), (call) => readAndRun(request, reply, call))

  app.route({
    method,
    url: path,
    exposeHeadRoute: handler === undefined,
    config: { operation },
    // A call that waits asks for nothing that is known, which only its input tells.
    handler:
      isPolled && !operation.isWaiting
        ? (request, reply) => polling.answer(request, reply, operation, () => serve(request, reply))
        : serve,
  })
}
