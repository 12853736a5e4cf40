import { type ErrorCode, errorCodes } from '../errors.js'

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } })

/** Headers by name, of which every answer refers to those it has. */
export const componentHeaders = {
  'X-RateLimit-Limit': header('Requests allowed in the window that is nearest to its end.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in it.', 'integer'),
  'X-RateLimit-Reset': header('When it ends, in Unix seconds.', 'integer'),
  'RateLimit-Policy': header('All windows that apply (IETF draft).', 'string'),
  RateLimit: header('What is left of each (IETF draft).', 'string'),
  'X-Request-Id': header('Names this request in logs and errors; a sane one that was sent is kept.', 'string'),
  ETag: header('The version of the record, in quotes.', 'string'),
  Location: header('Where the new record is.', 'string'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'WWW-Authenticate': header('The scheme to use: Bearer.', 'string'),
}

type HeaderName = keyof typeof componentHeaders

const headerRefs = (...names: HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const onEveryAnswer: HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
]

export const responseHeaders = (...more: HeaderName[]) => headerRefs(...onEveryAnswer, ...more)

export const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { enum: Object.keys(errorCodes) },
        message: { type: 'string', description: 'What is wrong and what to do next.' },
        requestId: { type: 'string' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: { path: { type: 'string' }, message: { type: 'string' } },
          },
        },
        hint: { type: 'string' },
        retryAfter: { type: 'integer', minimum: 1, description: 'Seconds to wait.' },
      },
    },
  },
}

const descriptions: Record<ErrorCode, string> = {
  VALIDATION_ERROR: 'Bad body, query, path or cursor; `details` names each field.',
  UNAUTHORIZED: 'No good key; `reason` is missing, invalid, expired or revoked.',
  FORBIDDEN: 'The key lacks the scope (`requiredScope`) or the project.',
  NOT_FOUND: 'There is no such record.',
  METHOD_NOT_ALLOWED: 'Another method is possible here: see `Allow`.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  CONFLICT:
    'It contradicts what is there: a key taken, a project not empty, an ambiguous key, a request still running.',
  GONE: 'That position of the event log was trimmed.',
  PRECONDITION_FAILED: '`If-Match` or `If-None-Match` does not hold; `currentVersion` is the version now.',
  PAYLOAD_TOO_LARGE: 'The body or the content is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON.',
  IDEMPOTENCY_MISMATCH: 'The Idempotency-Key was used with another request.',
  RATE_LIMIT_EXCEEDED: 'A limit is used up; `limit` names it, `retryAfter` says how long to wait.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
  INTERNAL_ERROR: 'A fault of the service.',
  SERVICE_UNAVAILABLE: 'The service cannot answer now; try again after `Retry-After` seconds.',
}

const headersOfError: Partial<Record<ErrorCode, HeaderName[]>> = {
  UNAUTHORIZED: ['WWW-Authenticate'],
  RATE_LIMIT_EXCEEDED: ['Retry-After'],
  SERVICE_UNAVAILABLE: ['Retry-After'],
}

export const componentResponses = () => {
  const responses: Record<string, unknown> = {
    NOT_MODIFIED: { description: 'The caller has this version already.', headers: responseHeaders('ETag') },
  }
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    responses[code] = {
      description: descriptions[code],
      headers: responseHeaders(...(headersOfError[code] ?? [])),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          example: { error: { code, message: descriptions[code], requestId: 'req_5fVnQ2kL1' } },
        },
      },
    }
  }
  return responses
}
