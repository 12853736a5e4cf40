import { type ErrorCode, type ErrorReason, errorReasons } from './error-reasons.js'
import { beginningOf } from './text.js'

export interface ErrorDetail {
  path: string
  message: string
  /** The kind of the record that the field names, if there is no such record. */
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

/** What an error contains besides its code, reason and message. All of it is part of the response. */
export interface ErrorParams {
  details?: ErrorDetail[]
  /** Seconds to wait before the request can succeed. */
  retryAfter?: number
  /** The kind of the record that does not exist. */
  record?: RecordName
  [name: string]: unknown
}

/**
 * An error that a caller can cause or meet. Its message says what is wrong without naming a header, a command or a tool,
 * because each interface adds its own sentence for the reason.
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

  /** Returns a copy with other parameters added, and another message if one is given. */
  with(params: ErrorParams, message = this.message): AppError {
    return new AppError(this.reason, message, { ...this.params, ...params }, { cause: this.cause })
  }
}

/** The error of invalid fields. Its reason is `unknown_record` if all of them name records that do not exist. */
export const invalid = (...details: ErrorDetail[]): AppError => {
  const problems = details.map(({ path, message }) => `${path || 'body'} ${message}`).join('; ')
  const message = `Invalid request: ${problems}${problems.endsWith('?') ? '' : '.'}`
  const record = details.every(({ record }) => record !== undefined) ? details[0]?.record : undefined
  return record === undefined
    ? new AppError('invalid_input', message, { details })
    : new AppError('unknown_record', message, { details, record })
}

/** The most characters of a request that an error quotes. */
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

/** Whether a service refused something, so that its transaction can go on. An error of the store has a cause. */
export const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.cause === undefined

export const unavailable = (message: string, retryAfter: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { retryAfter }, { cause })
