import { NetworkError, TimeoutError } from './errors.js'
import { maxTimerMs } from './sleep.js'

export interface Deadline {
  /** Aborts with the caller's signal, or when the time is up. */
  signal: AbortSignal
  /** Gives it this long from now. */
  extend(ms: number): void
  /** Stops the time until it is extended again. */
  hold(): void
  /** What to throw for a failure under this deadline: the caller's own reason, a timeout, or a network failure. */
  failureOf(cause: unknown): unknown
  clear(): void
}

/** `AbortSignal.any` would do, but older engines lack it or leak by it. */
export const createDeadline = (outer: AbortSignal | undefined): Deadline => {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let givenMs = 0
  let isUp = false
  const stop = (): void => controller.abort(outer?.reason)
  if (outer?.aborted) stop()
  else outer?.addEventListener('abort', stop)

  return {
    signal: controller.signal,
    extend: (ms) => {
      clearTimeout(timer)
      givenMs = ms
      timer = setTimeout(
        () => {
          isUp = true
          controller.abort()
        },
        Math.min(ms, maxTimerMs),
      )
    },
    hold: () => clearTimeout(timer),
    failureOf: (cause) => {
      if (outer?.aborted) return outer.reason
      if (isUp) return new TimeoutError(`The service did not respond within ${givenMs} ms.`, { cause })
      const { message, cause: deeper } = cause as Error
      const why = (deeper as Error | undefined)?.message || message
      return new NetworkError(`The service could not be reached, or its response was incomplete: ${why}`, { cause })
    },
    clear: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', stop)
    },
  }
}
