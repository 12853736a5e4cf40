import type { WorkloreError } from './errors.js'

/** A retry that is about to happen. */
export interface Retry {
  /** The failure of the last attempt. */
  error: WorkloreError
  /** Number of attempts so far. */
  attempts: number
  waitMs: number
  method: string
  path: string
}

/** A successful response, apart from its body. */
export interface ResponseInfo {
  status: number
  requestId: string | undefined
  /** Returns a response header by its lowercase name. */
  header(name: string): string | undefined
}

/** Options of every call. Set on the client, they apply to all of its calls. */
export interface CallOptions {
  /** Ends the call and its waits. `AbortSignal.timeout(ms)` limits the whole call. */
  signal?: AbortSignal | undefined
  /** Number of attempts after the first. */
  maxRetries?: number | undefined
  /** Time limit of one attempt, up to the last byte of its response. */
  timeoutMs?: number | undefined
  /** Longest wait before a retry. If the service asks for more, the error is thrown at once. */
  maxWaitMs?: number | undefined
  /** Called with each successful response. */
  onResponse?: ((response: ResponseInfo) => void) | undefined
  /** Names the request in history and events. Changes made under one ID can be undone together. */
  requestId?: string | undefined
}

export interface PostOptions extends CallOptions {
  /** Makes the call take effect once even if several programs or runs repeat it. By default, each call gets its own. */
  idempotencyKey?: string | undefined
}

export interface WorkloreOptions extends Omit<CallOptions, 'signal' | 'requestId'> {
  /** Address of the service. Defaults to the environment variable `WORKLORE_URL`. */
  baseUrl?: string | undefined
  /** Defaults to the environment variable `WORKLORE_KEY`. Not needed with a `session`. */
  apiKey?: string | undefined
  /** Secret half of a console session, for pages that the service itself serves. The cookie is the other half. */
  session?: string | undefined
  /** Name and version of the program, such as `my-agent/1.0`, sent as `User-Agent`. Browsers send their own. */
  userAgent?: string | undefined
  /** Called before each attempt of a write. If it throws, nothing is sent and the call fails. */
  beforeWrite?: (() => Promise<void>) | undefined
  /** Called before each wait. */
  onRetry?: ((retry: Retry) => void) | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

export const defaultMaxRetries = 5
export const defaultTimeoutMs = 30_000
export const defaultMaxWaitMs = 60_000
