import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  ProtocolErrorCode,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { andThen } from '../awaitable.js'
import type { Core } from '../core.js'
import { AppError } from '../errors.js'
import { sendError } from '../http/errors.js'
import { rateLimitHeaders } from '../limits/headers.js'
import { countOperations } from '../operations/admission.js'
import { paramsProblem } from './params.js'
import { mcpPath } from './path.js'
import { type ReadMessage, readMessage } from './read-message.js'
import { authInfoOf, createServerFactory, type McpRequest } from './server.js'
import { excerpt } from './text.js'

export interface McpOptions {
  /** Makes the server of each request; a test has its own. */
  readonly factory?: McpServerFactory
  /** What streams of changes listen to. Without it there are none: changes are followed by the event log. */
  readonly bus?: ServerEventBus
}

const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** A page in a browser says where it is from, and may call only from places that are known. */
const checkOrigin = ({ headers }: FastifyRequest, allowed: readonly string[]): void => {
  const { origin } = headers
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin) || loopback.test(origin)) return
  throw new AppError('FORBIDDEN', 'Pages of this origin may not call /mcp. Add the origin to WORKLORE_CORS_ORIGINS.')
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

/** A request has an id, which its answer repeats; a notification has none. */
type RequestId = string | number | null

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
  countOperations: (limits) =>
    andThen(countOperations(request.call, limits), ({ decision, refusal }) => {
      reply.headers(rateLimitHeaders(decision))
      if (refusal) throw refusal
    }),
  onAbandoned: (listener) => void reply.raw.once('close', listener),
})

const sendProtocolError = (
  reply: FastifyReply,
  status: number,
  error: { code: ProtocolErrorCode; message: string },
  id: RequestId = null,
): FastifyReply => reply.code(status).send({ jsonrpc: '2.0', id, error })

const sendParseError = (reply: FastifyReply, problem: string): FastifyReply =>
  sendProtocolError(reply, 400, { code: ProtocolErrorCode.ParseError, message: `Parse error: the body ${problem}` })

/** Many calls would count as one request. The protocol had batches in one revision and dropped them. */
const noBatches = { code: ProtocolErrorCode.InvalidRequest, message: 'Send one message in a request: no batches' }

const noStreams = {
  code: ProtocolErrorCode.MethodNotFound,
  message: 'Method not found: there is nothing to subscribe to',
}

/** So much of a body that is too large is read and forgotten, so that its sender comes to read the answer. */
const mostDiscardedBytes = 67_108_864

const discardBody = ({ raw }: FastifyRequest): Promise<void> =>
  new Promise((resolve) => {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostDiscardedBytes) resolve()
    })
    raw.once('end', resolve)
    raw.once('close', resolve)
    raw.resume()
  })

const isTooLarge = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'FST_ERR_CTP_BODY_TOO_LARGE'

const invalidParams = ({ message, problem }: ReadMessage, method: string | undefined): string | undefined => {
  if (problem?.part === 'params') return `Invalid params: ${excerpt(problem.path) || 'params'} ${problem.message}`
  return method === undefined ? undefined : paramsProblem(method, (message as { params?: unknown }).params)
}

/** Lets agents in by the Model Context Protocol. Nothing is kept between requests, so any node serves any of them. */
export const registerMcp = (app: FastifyInstance, core: Core, options: McpOptions = {}): void => {
  const { config } = core
  const { factory = createServerFactory(app.log), bus } = options
  const handler = createMcpHandler(factory, bus && { bus })
  const url = `http://worklore${mcpPath}`
  // Content that is too large for the store is refused in the result of its tool, where a model reads it.
  const bodyLimit = config.bodyLimitBytes * 2

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Whatever it is said to be: the protocol has an answer of its own to what is no JSON.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
    scope.addHook('onClose', () => handler.close())
    scope.setErrorHandler(async (error, request, reply) => {
      if (!isTooLarge(error)) return sendError(error, request, reply)
      await discardBody(request)
      const message = `PAYLOAD_TOO_LARGE: A message may have at most ${bodyLimit} bytes. Send a smaller one.`
      return sendProtocolError(reply, 413, { code: ProtocolErrorCode.InvalidRequest, message })
    })
    scope.post(
      mcpPath,
      { bodyLimit, config: { isApi: true, door: 'mcp', answersRefusal: true } },
      async (request, reply) => {
        checkOrigin(request, config.corsOrigins)
        const bytes = request.body as Buffer | undefined
        const read = bytes?.length ? readMessage(bytes) : { unreadable: 'is empty' }
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
          call: operationCallOf(request, reply),
          refusal: request.refusal,
          problem: read.problem,
          method,
          showLimits: (decision) => void reply.headers(rateLimitHeaders(decision)),
        })
        const response = await handler.fetch(passed, { authInfo, parsedBody: message })
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) return reply.send(response)
        reply.code(response.status)
        for (const [name, value] of response.headers) reply.header(name, value)
        return reply.send(await response.text())
      },
    )
  })
}
