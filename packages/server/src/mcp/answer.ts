import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  ProtocolErrorCode,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { abandonment, operationCounter } from '../http/api/call-extras.js'
import { claimOf, mcpPath } from '../http/api/request.js'
import { currentActor, readingUnder } from '../operations/run-operation.js'
import { paramsProblem } from './params.js'
import { type RequestId, sendProtocolError } from './protocol-error.js'
import { type ReadMessage, readMessage } from './read-message.js'
import { authInfoOf, createServerFactory, type McpRequest } from './server.js'
import { excerpt } from './text/text.js'

export interface McpOptions {
  /** Makes the server of each request; a test has its own. */
  readonly factory?: McpServerFactory
  /** What streams of changes listen to. Without it there are none: changes are followed by the event log. */
  readonly bus?: ServerEventBus
}

export interface McpAnswers {
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  close(): Promise<void>
}

/** Headers that the protocol looks at. */
const passedOn = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

const headersOf = ({ headers }: FastifyRequest): Headers => {
  const passed = new Headers()
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (typeof value === 'string' && (passedOn.includes(name) || name.startsWith('mcp-param-'))) passed.set(name, value)
  }
  return passed
}

const methodOf = (message: unknown): string | undefined => {
  const method = (message as { method?: unknown } | null)?.method
  return typeof method === 'string' ? method : undefined
}

const idOf = (message: unknown): RequestId => {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

const operationCallOf = (request: FastifyRequest, reply: FastifyReply): McpRequest['call'] => ({
  ...request.call,
  actorNow: request.actorNow,
  // The request itself was counted when it arrived.
  countOperations: operationCounter(request, reply, null),
  onAbandoned: abandonment(reply),
  beginWaiting: () => request.endWork(),
})

const sendParseError = (reply: FastifyReply, problem: string): FastifyReply =>
  sendProtocolError(reply, 400, { code: ProtocolErrorCode.ParseError, message: `Parse error: the body ${problem}` })

/** Many calls would count as one request. The protocol had batches in one revision and dropped them. */
const noBatches = { code: ProtocolErrorCode.InvalidRequest, message: 'Send one message in a request: no batches' }

const noStreams = {
  code: ProtocolErrorCode.MethodNotFound,
  message: 'Method not found: there is nothing to subscribe to',
}

const invalidParams = ({ message, problem }: ReadMessage, method: string | undefined): string | undefined => {
  if (problem?.part === 'params') return `Invalid params: ${excerpt(problem.path) || 'params'} ${problem.message}`
  return method === undefined ? undefined : paramsProblem(method, (message as { params?: unknown }).params)
}

const url = `http://worklore${mcpPath}`

/** Answers messages of the protocol. Nothing is kept between requests, so any node serves any of them. */
export const createMcpAnswers = (log: FastifyBaseLogger, options: McpOptions): McpAnswers => {
  const { factory = createServerFactory(log), bus } = options
  const handler = createMcpHandler(factory, bus && { bus })
  return {
    close: () => handler.close(),
    answer: async (request, reply) => {
      const admitted = operationCallOf(request, reply)
      const call = readingUnder({ ...admitted, actor: await currentActor(admitted, undefined) }, claimOf(request))
      const bytes = request.body as Buffer | undefined
      const turn = () => call.core.scheduler.turn(call.actor.tenantId)
      const read = bytes?.length ? await readMessage(bytes, turn) : { unreadable: 'is empty' }
      await turn()
      const message = 'message' in read ? read.message : undefined
      const method = methodOf(message)
      if (request.refusal && method !== 'tools/call') throw request.refusal
      if ('unreadable' in read) return sendParseError(reply, read.unreadable)
      if (Array.isArray(message)) return sendProtocolError(reply, 400, noBatches)
      const id = idOf(message)
      if (method === 'subscriptions/listen' && !bus) return sendProtocolError(reply, 404, noStreams, id)
      const passed = new Request(url, { method: 'POST', headers: headersOf(request) })
      const wrongParams = id === null ? undefined : invalidParams(read, method)
      // Later revisions have no such method, whatever its parameters.
      if (wrongParams !== undefined && (method !== 'initialize' || (await isLegacyRequest(passed, message)))) {
        return sendProtocolError(reply, 200, { code: ProtocolErrorCode.InvalidParams, message: wrongParams }, id)
      }
      const authInfo = authInfoOf({
        call,
        refusal: request.refusal,
        problem: read.problem,
        method,
      })
      const response = await handler.fetch(passed, { authInfo, parsedBody: message })
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) return reply.send(response)
      reply.code(response.status)
      for (const [name, value] of response.headers) reply.header(name, value)
      return reply.send(await response.text())
    },
  }
}
