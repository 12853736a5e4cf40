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
}

export interface PostOptions extends CallOptions {
  /** The client makes one for each call; your own lets a call act once over several programs or runs. */
  idempotencyKey?: string | undefined
}

export interface WorkloreOptions extends Omit<CallOptions, 'signal'> {
  baseUrl: string
  apiKey: string
  /** Told before each wait. */
  onRetry?: ((retry: Retry) => void) | undefined
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch | undefined
}

export const defaultMaxRetries = 5
export const defaultTimeoutMs = 30_000
