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

/** `fetch` puts the reason into the cause; where a name has several addresses, there is one for each of them. */
export const reasonOf = (failure: unknown): string => {
  const { message, cause, errors } = failure as AggregateError
  const [first] = errors ?? []
  return (cause && reasonOf(cause)) || (first && reasonOf(first)) || message
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
      return new NetworkError(`The service could not be reached, or its response was incomplete: ${reasonOf(cause)}`, {
        cause,
      })
    },
    clear: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', stop)
    },
  }
}
