const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Waits before the second attempt, the third and so on. */
const retryDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
/** Up to a fifth longer, so that many failures of one moment do not come back in one moment. */
const jitter = 0.2

/** When to try again after so many attempts; null to give up. A receiver can ask for a longer wait. */
export const nextAttemptAt = (
  attempts: number,
  nowMs: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null => {
  const delayMs = retryDelaysMs[attempts - 1]
  if (delayMs === undefined) return null
  return Math.round(nowMs + Math.max(delayMs * (1 + jitter * random()), Math.min(retryAfterMs ?? 0, day)))
}

/** How a webhook has been doing. */
export interface Health {
  failingSince: number | null
  lastFailureAt: number | null
  consecutiveFailures: number
  /** Until then only what is due for a retry is tried; the log waits. */
  pausedUntil: number
}

export const healthy: Health = { failingSince: null, lastFailureAt: null, consecutiveFailures: 0, pausedUntil: 0 }

const disableAfterMs = 5 * day
/** Failures so far apart are not one lasting failure. */
const forgetAfterMs = 2 * day
/** A failure or two may be the event's fault; more in a row are the receiver's. */
const failuresBeforePause = 3
const maxPauseMs = 5 * minute

const pauseMs = (failures: number): number =>
  failures < failuresBeforePause ? 0 : Math.min(5 * second * 2 ** (failures - failuresBeforePause), maxPauseMs)

export const afterFailure = (health: Health, nowMs: number, retryAfterMs: number | null): Health => {
  const isLasting = health.lastFailureAt !== null && nowMs - health.lastFailureAt < forgetAfterMs
  const consecutiveFailures = health.consecutiveFailures + 1
  const waitMs = Math.max(pauseMs(consecutiveFailures), Math.min(retryAfterMs ?? 0, day))
  return {
    failingSince: isLasting ? (health.failingSince ?? nowMs) : nowMs,
    lastFailureAt: nowMs,
    consecutiveFailures,
    pausedUntil: waitMs === 0 ? 0 : nowMs + waitMs,
  }
}

export const hasFailedTooLong = ({ failingSince }: Health, nowMs: number): boolean =>
  failingSince !== null && nowMs - failingSince >= disableAfterMs
