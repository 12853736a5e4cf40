import * as errors from './errors.js'
import type { WireAnswer } from './exchange.js'

type ErrorClass = new (status: number, fields: errors.ErrorFields) => errors.ApiError

const classes: Record<errors.ErrorCode, [status: number, ErrorClass]> = {
  VALIDATION_ERROR: [400, errors.ValidationError],
  UNAUTHORIZED: [401, errors.UnauthorizedError],
  FORBIDDEN: [403, errors.ForbiddenError],
  NOT_FOUND: [404, errors.NotFoundError],
  METHOD_NOT_ALLOWED: [405, errors.MethodNotAllowedError],
  REQUEST_TIMEOUT: [408, errors.RequestTimeoutError],
  CONFLICT: [409, errors.ConflictError],
  GONE: [410, errors.GoneError],
  PRECONDITION_FAILED: [412, errors.PreconditionFailedError],
  PAYLOAD_TOO_LARGE: [413, errors.PayloadTooLargeError],
  UNSUPPORTED_MEDIA_TYPE: [415, errors.UnsupportedMediaTypeError],
  IDEMPOTENCY_MISMATCH: [422, errors.IdempotencyMismatchError],
  RATE_LIMIT_EXCEEDED: [429, errors.RateLimitError],
  HEADERS_TOO_LARGE: [431, errors.HeadersTooLargeError],
  INTERNAL_ERROR: [500, errors.InternalError],
  SERVICE_UNAVAILABLE: [503, errors.ServiceUnavailableError],
}

const codes = Object.keys(classes) as errors.ErrorCode[]

const fieldsOf = (text: string): Partial<errors.ErrorFields> => {
  try {
    const { error } = JSON.parse(text)
    return typeof error?.code === 'string' ? error : {}
  } catch {
    return {}
  }
}

/** The header is a number of seconds or a date. */
const retryAfterOf = (header: string | undefined): number | undefined => {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000)
  return seconds >= 0 ? seconds : undefined
}

const create = (status: number, fields: errors.ErrorFields): errors.ApiError => {
  const ErrorClass = classes[fields.code as errors.ErrorCode]?.[1] ?? errors.ApiError
  return new ErrorClass(status, fields)
}

/** The error of an answer; one that something between us and the service gave goes by its status. */
export const errorOf = ({ status, header }: WireAnswer, text: string): errors.ApiError => {
  const fields = fieldsOf(text)
  return create(status, {
    ...fields,
    code: fields.code ?? codes.find((code) => classes[code][0] === status) ?? `HTTP_${status}`,
    message: fields.message ?? `The response was ${status} without an error body.`,
    requestId: fields.requestId ?? header('x-request-id'),
    retryAfter: fields.retryAfter ?? retryAfterOf(header('retry-after')),
  })
}

/** An error that comes in a stream, after its answer's status has gone out. */
export const errorInStream = (text: string): errors.ApiError => {
  const fields = JSON.parse(text) as errors.ErrorFields
  return create(classes[fields.code as errors.ErrorCode]?.[0] ?? 500, fields)
}

export const invalid = (path: string, message: string): errors.ValidationError =>
  new errors.ValidationError(400, {
    code: 'VALIDATION_ERROR',
    message: `${path} ${message}`,
    details: [{ path, message }],
  })
