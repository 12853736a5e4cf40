/** The closed list of errors that a caller can meet. */
export const errorCodes = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMIT_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof errorCodes

export interface ErrorDetail {
  path: string
  message: string
}

/** What an error says beside its code and message; everything here is shown to the caller. */
export interface ErrorExtras {
  details?: ErrorDetail[]
  hint?: string
  retryAfter?: number
  [name: string]: unknown
}

export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: ErrorExtras = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'AppError'
  }
}

export const invalid = (...details: ErrorDetail[]): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    `Mend ${details.length === 1 ? 'this field' : 'these fields'} and send it again: ${details.map((detail) => `${detail.path || 'body'} ${detail.message}`).join('; ')}.`,
    { details },
  )

export const notFound = (what: string): AppError =>
  new AppError('NOT_FOUND', `There is no ${what} here. Check the identifier, or list the records to find it.`)

export const versionMismatch = (currentVersion: number | null): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    currentVersion === null
      ? 'The record does not exist, so no version of it matches. Send the request without If-Match to create it.'
      : `The record is at version ${currentVersion} now. Read it again, apply your change to it and send that version in If-Match.`,
    { currentVersion },
  )

export const unavailable = (message: string, retryAfter: number, cause?: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, { retryAfter }, { cause })
