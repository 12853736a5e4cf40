import { beginningOf } from './text.js'

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

export type Reference = 'me' | 'projects' | 'users' | 'tasks' | 'knowledge' | 'claim' | 'holder' | 'force'

/** What an error says beside its code and message; everything here is shown to the caller. */
export interface ErrorExtras {
  details?: ErrorDetail[]
  hint?: string
  retryAfter?: number
  /** What lists the right values; each interface says how it is called there, as the hint. */
  see?: Reference
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

export const invalid = (...details: ErrorDetail[]): AppError => {
  const problems = details.map(({ path, message }) => `${path || 'body'} ${message}`).join('; ')
  const end = problems.endsWith('?') ? '' : '.'
  return new AppError('VALIDATION_ERROR', `Invalid request: ${problems}${end}`, { details })
}

/** A field refers to a record that does not exist. */
export const unknownReference = (see: Reference, ...details: ErrorDetail[]): AppError => {
  const { code, message } = invalid(...details)
  return new AppError(code, message, { details, see })
}

/** What an error quotes of a request is cut after so many characters. */
const maxQuoted = 600

export const notFound = (what: string, see?: Reference): AppError => {
  const shown = what.length > maxQuoted ? `${beginningOf(what, maxQuoted)}…` : what
  return new AppError(
    'NOT_FOUND',
    `${shown[0]!.toUpperCase()}${shown.slice(1)} not found. Check the identifier, or list the records to find it.`,
    see && { see },
  )
}

export const versionMismatch = (currentVersion: number | null): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    currentVersion === null
      ? 'The record does not exist, so no version matches. Send the request without If-Match to create it.'
      : `The record is now at version ${currentVersion}. Read it again, reapply your change and send that version in If-Match.`,
    { currentVersion },
  )

/** Whether a service refused something, so that its transaction can go on; an error of the store has a cause. */
export const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.cause === undefined

export const unavailable = (message: string, retryAfter: number, cause?: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, { retryAfter }, { cause })
