import { ownExchange } from '#own-exchange'
import { queryOf } from './address.js'
import { createDeadline } from './deadline.js'
import { errorOf, invalid } from './error-of.js'
import { NetworkError, WorkloreError } from './errors.js'
import { exchangeBy, type WireAnswer, type WireRequest } from './exchange.js'
import { headersOf, newIdempotencyKey } from './headers.js'
import { type Limits, limitsOf } from './limits.js'
import {
  type CallOptions,
  defaultMaxRetries,
  defaultMaxWaitMs,
  defaultTimeoutMs,
  type PostOptions,
  type WorkloreOptions,
} from './options.js'
import { isLostAnswer, isWorthRepeating, waitMsAfter } from './retry.js'
import { sleep } from './sleep.js'

/** A request to the API. Lists in `query` are joined by commas. */
export interface Request extends PostOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: object
  body?: unknown
  headers?: Record<string, string>
}

export interface Transport {
  /** Sends a request, retrying it where that is safe, and returns the response body. */
  send<T>(request: Request): Promise<T>
  /** Sends a request as `send` does, and returns the `data` of the body. */
  fetchData<T>(request: Request): Promise<T>
  /** Opens a response to read as it arrives. Retrying is up to the caller. */
  open(path: string, query: object, headers: Record<string, string>, signal: AbortSignal): Promise<WireAnswer>
  onRetry(error: WorkloreError, attempts: number, waitMs: number, method: string, path: string): void
  readonly limits: Limits | undefined
  readonly timeoutMs: number
  readonly maxWaitMs: number
}

/** Returns a transport whose requests name a claim, which must be live. */
export const fencedBy = (transport: Transport, token: string): Transport =>
  sendingBy(transport, (request) =>
    transport.send({ ...request, headers: { 'worklore-claim': token, ...request.headers } }),
  )

/** Returns a transport that sends requests with `send`. */
export const sendingBy = (transport: Transport, send: Transport['send']): Transport => ({
  ...transport,
  send,
  fetchData: async <T>(request: Request) => (await send<{ data: T }>(request)).data,
})

/** Environment variables, on platforms that have them. */
const environment: Record<string, string | undefined> =
  (globalThis as { process?: { env?: Record<string, string> } }).process?.env ?? {}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NetworkError('The response is not valid JSON: it is incomplete, or not from the service.', { cause })
  }
}

const refuseRedirect = ({ status, header }: WireAnswer): void => {
  if (status < 300 || status >= 400) return
  throw invalid('baseUrl', `redirects to ${header('location') ?? 'another URL'}; use that one instead`)
}

export const createTransport = (options: WorkloreOptions): Transport => {
  const { session, userAgent, onRetry, beforeWrite } = options
  const { baseUrl = environment.WORKLORE_URL, apiKey = session ? undefined : environment.WORKLORE_KEY } = options
  const { maxRetries = defaultMaxRetries, timeoutMs = defaultTimeoutMs, maxWaitMs = defaultMaxWaitMs } = options
  const exchange = options.fetch ? exchangeBy(options.fetch) : ownExchange
  if (!apiKey && !session) throw new TypeError('apiKey is required: pass it, or set WORKLORE_KEY.')
  if (!baseUrl) throw new TypeError('baseUrl is required: pass it, or set WORKLORE_URL.')
  const { origin, pathname } = new URL(baseUrl)
  const base = origin + pathname.replace(/\/+$/, '')
  const common = headersOf({
    ...(session ? { 'worklore-session': session } : { authorization: `Bearer ${apiKey}` }),
    ...(userAgent && { 'user-agent': userAgent }),
    accept: 'application/json',
  })
  let limits: Limits | undefined

  const receive = async (url: string, request: WireRequest): Promise<WireAnswer> => {
    const answer = await exchange(url, request)
    limits = limitsOf(answer) ?? limits
    return answer
  }

  const attempt = async (url: string, request: WireRequest, call: CallOptions): Promise<unknown> => {
    const deadline = createDeadline(call.signal)
    deadline.extend(call.timeoutMs ?? timeoutMs)
    let answer: WireAnswer
    let text: string
    try {
      answer = await receive(url, { ...request, signal: deadline.signal })
      text = await answer.text()
    } catch (cause) {
      throw deadline.failureOf(cause)
    } finally {
      deadline.clear()
    }
    // Following a redirect would turn a POST into a GET and report success.
    refuseRedirect(answer)
    if (answer.status < 200 || answer.status >= 300) throw errorOf(answer, text)
    const body = parse(text)
    const onResponse = call.onResponse ?? options.onResponse
    onResponse?.({ status: answer.status, requestId: answer.header('x-request-id'), header: answer.header })
    return body
  }

  const wireRequestOf = ({ method, body, headers, idempotencyKey, requestId }: Request): WireRequest => ({
    method,
    headers: {
      ...common,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && headersOf({ 'idempotency-key': idempotencyKey ?? newIdempotencyKey() })),
      ...headersOf({ ...(requestId !== undefined && { 'x-request-id': requestId }), ...headers }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

  const tellRetry: Transport['onRetry'] = (error, attempts, waitMs, method, path) =>
    onRetry?.({ error, attempts, waitMs, method, path })

  const send = async <T>(request: Request): Promise<T> => {
    const { method, path, query = {}, signal } = request
    const url = base + path + queryOf(query)
    const wireRequest = wireRequestOf(request)
    let isAfterLostAnswer = false
    for (let attempts = 1; ; attempts++) {
      if (method !== 'GET') await beforeWrite?.()
      try {
        return (await attempt(url, wireRequest, request)) as T
      } catch (error) {
        if (!(error instanceof WorkloreError)) throw error
        error.attempts = attempts
        error.isAfterLostAnswer = isAfterLostAnswer
        isAfterLostAnswer ||= isLostAnswer(error)
        if (attempts > (request.maxRetries ?? maxRetries) || !isWorthRepeating(error, method)) throw error
        const waitMs = waitMsAfter(error, attempts, request.maxWaitMs ?? maxWaitMs)
        tellRetry(error, attempts, waitMs, method, path)
        await sleep(waitMs, signal)
      }
    }
  }

  return {
    send,
    fetchData: async <T>(request: Request) => (await send<{ data: T }>(request)).data,
    open: async (path, query, headers, signal) => {
      const all = { ...common, ...headersOf(headers) }
      const answer = await receive(base + path + queryOf(query), {
        method: 'GET',
        headers: all,
        signal,
        isStream: true,
      })
      refuseRedirect(answer)
      return answer
    },
    onRetry: tellRetry,
    get limits() {
      return limits
    },
    timeoutMs,
    maxWaitMs,
  }
}
