import { isoTime } from '../../../base/clock.js'
import type { AttemptResult } from './client.js'
import { nextAttemptAt } from './schedule.js'
import type { StoredDelivery } from './store.js'

export const isSuccess = ({ status }: AttemptResult): boolean => status !== null && status >= 200 && status < 300

/** The receiver wants nothing any more. */
export const isGone = ({ status }: AttemptResult): boolean => status === 410

export const problemOf = ({ status, error }: AttemptResult): string => {
  if (status === null) return error ?? 'no response'
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`
}

/** A delivery after an attempt. A ping is tried once, and so is one that the receiver answers with 410. */
export const afterAttempt = (delivery: StoredDelivery, result: AttemptResult, nowMs: number): StoredDelivery => {
  const attempts = delivery.attempts + 1
  const isDone = isSuccess(result)
  const isTriedOnce = delivery.reason === 'ping' || isGone(result)
  const nextMs = isDone || isTriedOnce ? null : nextAttemptAt(attempts, nowMs, result.retryAfterMs)
  return {
    ...delivery,
    status: isDone ? 'succeeded' : nextMs === null ? 'failed' : 'retrying',
    attempts,
    nextAttemptAt: nextMs === null ? null : isoTime(nextMs),
    responseStatus: result.status,
    responseBody: result.status === null ? null : result.body,
    error: isDone ? null : problemOf(result),
    durationMs: result.durationMs,
    attemptedAt: isoTime(nowMs),
  }
}

/** A delivery that cannot be attempted any more. */
export const abandoned = (delivery: StoredDelivery, error: string, nowMs: number): StoredDelivery => ({
  ...delivery,
  status: 'failed',
  nextAttemptAt: null,
  error,
  attemptedAt: isoTime(nowMs),
})
