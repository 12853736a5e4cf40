import type { WorkloreError } from './errors.js'

export interface Retry {
  /** What went wrong with the attempt before. */
  error: WorkloreError
  /** The attempts made so far. */
  attempts: number
  waitMs: number
  method: string
  path: string
}

/** What every call takes, and what a client takes for all its calls. */
export interface CallOptions {
  /** Ends the call, its waits included; `AbortSignal.timeout(ms)` bounds the whole of it. */
  signal?: AbortSignal | undefined
  /** Further attempts after the first. */
  maxRetries?: number | undefined
  /** How long one attempt may take, to the last byte of its answer. */
  timeoutMs?: number | undefined
  /** The longest wait before a further attempt. Where the service asks for more, its error is thrown at once. */
  maxWaitMs?: number | undefined
}

export interface PostOptions extends CallOptions {
  /** The client makes one for each call; your own lets a call act once over several programs or runs. */
  idempotencyKey?: string | undefined
}

export interface WorkloreOptions extends Omit<CallOptions, 'signal'> {
  baseUrl: string
  /** Required unless there is a `session`. */
  apiKey?: string | undefined
  /** The secret of a console session, in a page that the service itself serves: the other half is a cookie. */
  session?: string | undefined
  /** The program's own name and version, such as `my-agent/1.0`, sent as `User-Agent`; browsers send theirs instead. */
  userAgent?: string | undefined
  /** Runs before each attempt of a request that writes; where it throws, nothing is sent and the call ends. */
  beforeWrite?: (() => Promise<void>) | undefined
  /** Told before each wait. */
  onRetry?: ((retry: Retry) => void) | undefined
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch | undefined
}

export const defaultMaxRetries = 5
export const defaultTimeoutMs = 30_000
export const defaultMaxWaitMs = 60_000
