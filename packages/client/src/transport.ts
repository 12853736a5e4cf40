import { queryOf } from './address.js'
import { createDeadline } from './deadline.js'
import { errorOf, invalid } from './error-of.js'
import { NetworkError, WorkloreError } from './errors.js'
import { newIdempotencyKey } from './idempotency-key.js'
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
  open(path: string, query: object, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
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

const refuseRedirect = ({ type, status, headers }: Response): void => {
  if (type !== 'opaqueredirect' && (status < 300 || status >= 400)) return
  throw invalid('baseUrl', `redirects to ${headers.get('location') ?? 'another URL'}; use that one instead`)
}

export const createTransport = (options: WorkloreOptions): Transport => {
  const { apiKey, session, userAgent, onRetry } = options
  const { maxRetries = defaultMaxRetries, timeoutMs = defaultTimeoutMs, maxWaitMs = defaultMaxWaitMs } = options
  // Called as a plain function: browsers refuse their `fetch` as a method of something else.
  const fetch = options.fetch ?? globalThis.fetch
  if (!apiKey && !session) throw new TypeError('apiKey is required, such as "wl_live_…".')
  const { origin, pathname } = new URL(options.baseUrl)
  const base = origin + pathname.replace(/\/+$/, '')
  const credentials = session ? { 'worklore-session': session } : { authorization: `Bearer ${apiKey}` }
  const common = new Headers({ ...credentials, accept: 'application/json' })
  if (userAgent) common.set('user-agent', userAgent)
  let limits: Limits | undefined

  const receive = async (url: string, init: RequestInit): Promise<Response> => {
    // Followed, a redirect would turn a POST into a GET, and its answer into a success.
    const response = await fetch(url, { ...init, redirect: 'manual' })
    limits = limitsOf(response.headers) ?? limits
    return response
  }

  const attempt = async (url: string, init: RequestInit, call: CallOptions): Promise<unknown> => {
    const deadline = createDeadline(call.signal)
    deadline.extend(call.timeoutMs ?? timeoutMs)
    let response: Response
    let text: string
    try {
      response = await receive(url, { ...init, signal: deadline.signal })
      text = await response.text()
    } catch (cause) {
      throw deadline.failureOf(cause)
    } finally {
      deadline.clear()
    }
    refuseRedirect(response)
    if (!response.ok) throw errorOf(response.status, response.headers, text)
    return parse(text)
  }

  const initOf = ({ method, body, headers, idempotencyKey }: Request): RequestInit => {
    const all = new Headers(common)
    if (body !== undefined) all.set('content-type', 'application/json')
    if (method === 'POST') all.set('idempotency-key', idempotencyKey ?? newIdempotencyKey())
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value)
    return { method, headers: all, ...(body !== undefined && { body: JSON.stringify(body) }) }
  }

  const tellRetry: Transport['onRetry'] = (error, attempts, waitMs, method, path) =>
    onRetry?.({ error, attempts, waitMs, method, path })

  const send = async <T>(request: Request): Promise<T> => {
    const { method, path, query = {}, signal } = request
    const url = base + path + queryOf(query)
    const init = initOf(request)
    let isAfterLostAnswer = false
    for (let attempts = 1; ; attempts++) {
      try {
        return (await attempt(url, init, request)) as T
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
      const all = new Headers(common)
      for (const [name, value] of Object.entries(headers)) all.set(name, value)
      const response = await receive(base + path + queryOf(query), { headers: all, signal })
      refuseRedirect(response)
      return response
    },
    onRetry: tellRetry,
    get limits() {
      return limits
    },
    timeoutMs,
    maxWaitMs,
  }
}
