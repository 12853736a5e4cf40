import { isoTime } from '../clock.js'
import type { StoredDelivery } from './delivery-store.js'
import type { Answer } from './post.js'
import { nextAttemptAt } from './schedule.js'

export const isSuccess = ({ status }: Answer): boolean => status !== null && status >= 200 && status < 300

/** Receivers say so when they want nothing any more. */
export const isUnwanted = ({ status }: Answer): boolean => status === 410

export const problemOf = ({ status, error }: Answer): string => {
  if (status === null) return error ?? 'no answer'
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`
}

/** A delivery after an attempt. A ping is tried once, and so is what the receiver does not want. */
export const afterAttempt = (delivery: StoredDelivery, answer: Answer, nowMs: number): StoredDelivery => {
  const attempts = delivery.attempts + 1
  const isDone = isSuccess(answer)
  const isTriedOnce = delivery.reason === 'ping' || isUnwanted(answer)
  const nextMs = isDone || isTriedOnce ? null : nextAttemptAt(attempts, nowMs, answer.retryAfterMs)
  return {
    ...delivery,
    status: isDone ? 'succeeded' : nextMs === null ? 'failed' : 'retrying',
    attempts,
    nextAttemptAt: nextMs === null ? null : isoTime(nextMs),
    responseStatus: answer.status,
    responseBody: answer.status === null ? null : answer.body,
    error: isDone ? null : problemOf(answer),
    durationMs: answer.durationMs,
    attemptedAt: isoTime(nowMs),
  }
}

/** A delivery whose event is no longer in the log. */
export const givenUp = (delivery: StoredDelivery, error: string, nowMs: number): StoredDelivery => ({
  ...delivery,
  status: 'failed',
  nextAttemptAt: null,
  error,
  attemptedAt: isoTime(nowMs),
})
