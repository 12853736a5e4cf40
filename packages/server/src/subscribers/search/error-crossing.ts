import type { ErrorReason } from '../../base/error-reasons.js'
import { AppError, type ErrorParams } from '../../base/errors.js'

interface ErrorDescription {
  message: string
  reason?: ErrorReason
  params?: ErrorParams
}

/** An error as it crosses from the search worker to the service: of an error itself only its message would arrive. */
export const describeError = (error: unknown): ErrorDescription =>
  error instanceof AppError
    ? { message: error.message, reason: error.reason, params: error.params }
    : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }

export const reviveError = (description: unknown): Error => {
  const { message, reason, params } = description as ErrorDescription
  return reason ? new AppError(reason, message, params) : new Error(message)
}
