import { type ErrorCode, type ErrorReason, errorReasons } from './error-reasons.js'
import { beginningOf } from './text.js'

export interface ErrorDetail {
  path: string
  message: string
  /** The kind of record that the field refers to, if that record does not exist. */
  record?: RecordName
}

/** The kinds of records that an error can name. */
export type RecordName =
  | 'API key'
  | 'comment'
  | 'deleted record'
  | 'delivery'
  | 'inbox entry'
  | 'knowledge item'
  | 'member'
  | 'project'
  | 'question'
  | 'response'
  | 'session'
  | 'task'
  | 'tenant'
  | 'trash entry'
  | 'user'
  | 'webhook'

/** Further properties of an error. All of them are part of the response. */
export interface ErrorParams {
  details?: ErrorDetail[]
  /** Seconds to wait before the request can succeed. */
  retryAfter?: number
  /** The kind of the record that does not exist. */
  record?: RecordName
  [name: string]: unknown
}

/**
 * An error to report to the caller. Its message says what is wrong but names no header, command or tool, because each
 * interface appends its own text for the reason.
 */
export class AppError extends Error {
  readonly code: ErrorCode

  constructor(
    readonly reason: ErrorReason,
    message: string,
    readonly params: ErrorParams = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'AppError'
    this.code = errorReasons[reason]
  }

  /** Returns a copy with these parameters added or replaced, and optionally with a different message. */
  with(params: ErrorParams, message = this.message): AppError {
    return new AppError(this.reason, message, { ...this.params, ...params }, { cause: this.cause })
  }
}

/** Returns an error for invalid fields. Its reason is `unknown_record` if they all name records that do not exist. */
export const invalid = (...details: ErrorDetail[]): AppError => {
  const problems = details.map(({ path, message }) => `${path || 'body'} ${message}`).join('; ')
  const message = `Invalid request: ${problems}${problems.endsWith('?') ? '' : '.'}`
  const record = details.every(({ record }) => record !== undefined) ? details[0]?.record : undefined
  return record === undefined
    ? new AppError('invalid_input', message, { details })
    : new AppError('unknown_record', message, { details, record })
}

/** Maximum number of characters that an error quotes from a request. */
const maxQuoted = 600

export const notFound = (record: RecordName, name?: string): AppError => {
  const id = name !== undefined && name.length > maxQuoted ? `${beginningOf(name, maxQuoted)}…` : name
  const named = id === undefined ? record : `${record} "${id}"`
  return new AppError('not_found', `${named[0]!.toUpperCase()}${named.slice(1)} not found.`, {
    record,
    ...(id !== undefined && { id }),
  })
}

export const versionMismatch = (currentVersion: number | null): AppError => {
  const message =
    currentVersion === null
      ? 'The record does not exist, so no version matches.'
      : `The record is now at version ${currentVersion}.`
  return new AppError('version', message, { currentVersion })
}

/** Whether the error is a refusal, after which the transaction can continue. Database errors have a cause. */
export const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.cause === undefined

export const unavailable = (message: string, retryAfter: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { retryAfter }, { cause })
