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

/** One request to the API. Lists in `query` are joined by commas. */
export interface Request extends PostOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: object
  body?: unknown
  headers?: Record<string, string>
}

export interface Transport {
  /** Sends a request until it has an answer that stays, and gives its body. */
  send<T>(request: Request): Promise<T>
  /** The same, and gives the `data` of the body. */
  fetchData<T>(request: Request): Promise<T>
  /** Opens one answer for reading as it comes; the caller repeats. */
  open(path: string, query: object, headers: Record<string, string>, signal: AbortSignal): Promise<WireAnswer>
  onRetry(error: WorkloreError, attempts: number, waitMs: number, method: string, path: string): void
  readonly limits: Limits | undefined
  readonly timeoutMs: number
  readonly maxWaitMs: number
}

/** The same transport, where each request names a claim, which must be live for it to be made. */
export const fencedBy = (transport: Transport, token: string): Transport =>
  sendingBy(transport, (request) =>
    transport.send({ ...request, headers: { 'worklore-claim': token, ...request.headers } }),
  )

/** The same transport, with another way of sending. */
export const sendingBy = (transport: Transport, send: Transport['send']): Transport => ({
  ...transport,
  send,
  fetchData: async <T>(request: Request) => (await send<{ data: T }>(request)).data,
})

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
  const { apiKey, session, userAgent, onRetry, beforeWrite } = options
  const { maxRetries = defaultMaxRetries, timeoutMs = defaultTimeoutMs, maxWaitMs = defaultMaxWaitMs } = options
  const exchange = options.fetch ? exchangeBy(options.fetch) : ownExchange
  if (!apiKey && !session) throw new TypeError('apiKey is required, such as "wl_live_…".')
  const { origin, pathname } = new URL(options.baseUrl)
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
    // Followed, a redirect would turn a POST into a GET, and its answer into a success.
    refuseRedirect(answer)
    if (answer.status < 200 || answer.status >= 300) throw errorOf(answer, text)
    return parse(text)
  }

  const wireRequestOf = ({ method, body, headers, idempotencyKey }: Request): WireRequest => ({
    method,
    headers: {
      ...common,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && headersOf({ 'idempotency-key': idempotencyKey ?? newIdempotencyKey() })),
      ...headersOf(headers ?? {}),
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
