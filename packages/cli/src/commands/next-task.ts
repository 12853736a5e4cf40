import { ApiError, type ApiRequest, type Context, type Task, type Worklore } from 'worklore-client'
import { exitUnavailable } from '../exit-codes.js'
import { failureOf } from '../failure.js'

/** What the service answers to who asks for a task; `message` says why there is none. */
interface NextAnswer {
  data: Task | null
  context?: Context | null
  message?: string
}

/** The longest wait that the service takes for one request. */
const maxWaitSeconds = 30
/** What a request may take beyond its wait. */
const slackMs = 30_000
/** A request that is repeated waits as long as the first; it is given up so soon after the deadline. */
const graceMs = 1_000
/** Who waits for work wants to hear of it soon after the service is back. */
const maxPauseMs = 3_000
const firstPauseMs = 250
/** Shorter outages are not told of. */
const toldAfterFailures = 3

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The same request was lost by the connection, and the service has not noticed yet. */
const isStillRunning = (error: unknown): boolean => error instanceof ApiError && error.reason === 'running'

/** Whether the service is away or has no room, and may be asked again. */
const isOutage = (error: unknown): boolean => failureOf(error, '').exitCode === exitUnavailable || isStillRunning(error)

/** What the service asks for, or else a short while; never beyond the deadline. */
const pauseMsAfter = (error: Error, failures: number, leftMs: number): number => {
  const { retryAfter } = error as Partial<ApiError>
  if (!isOutage(error) || leftMs <= 0 || (retryAfter ?? 0) * 1_000 > leftMs) throw error
  if (retryAfter !== undefined) return retryAfter * 1_000
  return Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs, leftMs)
}

/**
 * The next task, or null where none becomes ready until the deadline. A service that is away, as while it restarts, is
 * asked again until then. A repeated request has the same idempotency key: what it claimed before is answered again.
 */
export const nextTask = async (
  wl: Worklore,
  filters: object,
  endMs: number,
  onOutage: (error: Error) => void,
): Promise<NextAnswer> => {
  const ask = async (waitSeconds: number): Promise<NextAnswer> => {
    const request: ApiRequest = {
      method: 'POST',
      path: '/v1/tasks/next',
      body: { ...filters, waitSeconds },
      idempotencyKey: process.getBuiltinModule('node:crypto').randomUUID(),
      timeoutMs: waitSeconds * 1_000 + slackMs,
      // The client would repeat a wait without regard to the deadline.
      ...(waitSeconds > 0 && { maxRetries: 0 }),
    }
    let end: AbortSignal | undefined
    for (let failures = 1; ; failures++) {
      try {
        return await wl.request<NextAnswer>({ ...request, signal: end })
      } catch (error) {
        if (end?.aborted) return { data: null }
        const leftMs = endMs - Date.now()
        const pauseMs = pauseMsAfter(error as Error, failures, leftMs)
        if (failures === toldAfterFailures) onOutage(error as Error)
        end ??= AbortSignal.timeout(leftMs + graceMs)
        await pause(pauseMs)
      }
    }
  }
  for (;;) {
    const askedAtMs = Date.now()
    const waitSeconds = Math.min(Math.max(0, Math.ceil((endMs - askedAtMs) / 1_000)), maxWaitSeconds)
    const answer = await ask(waitSeconds)
    const leftMs = endMs - Date.now()
    if (answer.data || leftMs <= 0) return answer
    // A service that stops ends all waits.
    if (Date.now() - askedAtMs < (waitSeconds * 1_000) / 2) await pause(Math.min(maxPauseMs, leftMs))
  }
}
