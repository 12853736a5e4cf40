import { ApiError, NetworkError, type WorkloreError } from './errors.js'

const firstWaitMs = 250
const maxBackoffMs = 30_000

/** What may be sent again without acting twice: a POST is, because it carries an idempotency key. */
const mayRepeat = (method: string): boolean => method !== 'PATCH'

export const gatewayStatuses = [502, 503, 504]

/** After this, no one knows whether the request has done its work. */
export const isLostAnswer = (error: WorkloreError): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && gatewayStatuses.includes(error.status))

export const isWorthRepeating = (error: WorkloreError, method: string): boolean => {
  if (!(error instanceof ApiError)) return mayRepeat(method)
  switch (error.status) {
    case 429:
    case 503:
      return true
    // The request did not arrive in time, so nothing was done.
    case 408:
      return true
    case 409:
      return method === 'POST' && (error.reason === 'running' || error.reason === 'restoring')
    default:
      return gatewayStatuses.includes(error.status) && mayRepeat(method)
  }
}

/** Doubles with each failure, up to a cap; the jitter keeps many clients from coming back at once. */
export const backoffMs = (failures: number, random = Math.random()): number =>
  Math.min(maxBackoffMs, firstWaitMs * 2 ** (failures - 1)) * (0.5 + random / 2)

/** What the service asks for, or else a wait of our own. Throws the error where the service asks for too long a wait. */
export const waitMsAfter = (error: WorkloreError, failures: number, maxWaitMs: number): number => {
  const askedMs = error instanceof ApiError && error.retryAfter ? error.retryAfter * 1000 : undefined
  if (askedMs === undefined) return Math.min(backoffMs(failures), maxWaitMs)
  if (askedMs > maxWaitMs) throw error
  return askedMs
}
