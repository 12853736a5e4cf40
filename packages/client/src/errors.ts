import type { Check, Claim, ErrorAnswer, KnowledgeItem, Paused } from './types.gen.js'

export type ErrorCode = ErrorAnswer['error']['code']
/** Why a request was refused. More specific than the code. */
export type ErrorReason = ErrorAnswer['error']['reason']
export type ErrorDetail = NonNullable<ErrorAnswer['error']['details']>[number]

/** Whatever the client throws, an aborted signal's own reason apart. */
export abstract class WorkloreError extends Error {
  abstract readonly code: string
  /** How often the request was sent. */
  attempts = 1
  /** An earlier attempt of the same call got no good answer and may have done its work all the same. */
  isAfterLostAnswer = false
}

/** No answer came, or only a part of one. */
export class NetworkError extends WorkloreError {
  override readonly name: string = 'NetworkError'
  readonly code: string = 'NETWORK_ERROR'
}

/** An attempt took longer than `timeoutMs`. */
export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError'
  override readonly code = 'TIMEOUT'
}

export interface ErrorFields {
  code: ErrorCode | `HTTP_${number}`
  reason?: ErrorReason | undefined
  message: string
  requestId?: string | undefined
  details?: ErrorDetail[] | undefined
  hint?: string | undefined
  retryAfter?: number | undefined
  [name: string]: unknown
}

/** An answer that is an error; each code has a class of its own. */
export class ApiError extends WorkloreError {
  override readonly name: string = 'ApiError'
  readonly code: ErrorFields['code']
  /** Undefined if the response did not come from the service. */
  readonly reason: ErrorReason | undefined
  readonly requestId: string | undefined
  /** What is wrong, field by field. */
  readonly details: ErrorDetail[]
  readonly hint: string | undefined
  /** Seconds to wait, where the service says so. */
  readonly retryAfter: number | undefined

  constructor(
    readonly status: number,
    /** Everything the service said. */
    readonly fields: ErrorFields,
  ) {
    super(fields.message)
    this.code = fields.code
    this.reason = fields.reason
    this.requestId = fields.requestId
    this.details = fields.details ?? []
    this.hint = fields.hint
    this.retryAfter = fields.retryAfter
  }

  /** Which operation of a batch it is about, from 0. */
  get index() {
    return this.fields.index as number | undefined
  }
}

export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'
}

export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}

export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
  get requiredScope() {
    return this.fields.requiredScope as string | undefined
  }
}

export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
  /** Where the knowledge item was moved. */
  get movedTo() {
    return this.fields.movedTo as Pick<KnowledgeItem, 'key' | 'projectId'> | undefined
  }
}

export class MethodNotAllowedError extends ApiError {
  override readonly name = 'MethodNotAllowedError'
}

export class RequestTimeoutError extends ApiError {
  override readonly name = 'RequestTimeoutError'
}

export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
  /** Who paused it and why, where it is `paused`. */
  get paused() {
    return this.fields.paused as Paused | undefined
  }
  /** What is paused then. */
  get what() {
    return this.fields.what as 'tenant' | 'project' | 'key' | undefined
  }
  /** The resource that another claim reserves, where it is `resource`. */
  get resource() {
    return this.fields.resource as string | undefined
  }
  /** Who reserves it. */
  get heldBy() {
    return this.fields.heldBy as { taskId: string; keyName: string; expiresAt: string } | undefined
  }
  /** The checks that are neither passed nor waived, where it is `checks`. */
  get checks() {
    return this.fields.checks as Pick<Check, 'id' | 'text' | 'verifier' | 'state'>[] | undefined
  }
  /** Who holds the task, where it is `claimed`. */
  get claim() {
    return this.fields.claim as Claim | undefined
  }
  /** The open tasks that come first, where it is `blocked`. */
  get blockedBy() {
    return this.fields.blockedBy as string[] | undefined
  }
  /** The tasks that would wait for each other, where it is a `cycle`. */
  get cycle() {
    return this.fields.cycle as string[] | undefined
  }
  /** The task that has the `externalId` already, or the knowledge item that supersedes the same one. */
  get existing() {
    return this.fields.existing as string | undefined
  }
  /** The projects that hold the knowledge key asked for, where it is ambiguous. */
  get candidates() {
    return this.fields.candidates
  }
}

export class GoneError extends ApiError {
  override readonly name = 'GoneError'
  /** The oldest position of the event log that is left. */
  get oldest() {
    return this.fields.oldest as number | undefined
  }
}

export class PreconditionFailedError extends ApiError {
  override readonly name = 'PreconditionFailedError'
  /** Null where there is no such record. */
  get currentVersion() {
    return this.fields.currentVersion as number | null | undefined
  }
}

export class PayloadTooLargeError extends ApiError {
  override readonly name = 'PayloadTooLargeError'
}

export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = 'UnsupportedMediaTypeError'
}

export class IdempotencyMismatchError extends ApiError {
  override readonly name = 'IdempotencyMismatchError'
}

export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
  /** The window that is used up, as in "searches per minute". */
  get limit() {
    return this.fields.limit as string | undefined
  }
}

export class HeadersTooLargeError extends ApiError {
  override readonly name = 'HeadersTooLargeError'
}

export class InternalError extends ApiError {
  override readonly name = 'InternalError'
}

export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError'
}
