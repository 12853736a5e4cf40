import { AppError, type ErrorCode, type ErrorExtras } from '../../base/errors.js'

interface ErrorDescription {
  message: string
  code?: ErrorCode
  extras?: ErrorExtras
}

/** An error as it crosses from the search worker to the service: of an error itself only its message would arrive. */
export const describeError = (error: unknown): ErrorDescription =>
  error instanceof AppError
    ? { message: error.message, code: error.code, extras: error.extras }
    : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }

export const reviveError = (description: unknown): Error => {
  const { message, code, extras } = description as ErrorDescription
  return code ? new AppError(code, message, extras) : new Error(message)
}
