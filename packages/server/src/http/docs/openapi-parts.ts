import { type ErrorCode, errorCodes, errorReasons } from '../../base/error-reasons.js'

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } })

/** Request headers by name. */
export const headerParameters = {
  'If-Match': {
    description: 'Apply the change only if the record has this version, e.g. `"3"`.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'On a read: return 304 if the record or list still has this `ETag`. On a PUT: `*` creates only.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    description:
      'Makes the request idempotent for 24 hours: repeats get the first response, or `{"data":null,"purged":true}` if the record has since been purged.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Worklore-Claim': {
    description: 'Apply the change only while this key holds this claim; this also renews the claim.',
    schema: { type: 'string', examples: ['ACME-12.7'] },
  },
  'Last-Event-ID': {
    description: 'The last event received; the stream resumes after it.',
    schema: { type: 'string', pattern: '^\\d{1,15}$' },
  },
}

/** Headers by name, of which every answer refers to those it has. */
export const componentHeaders = {
  'X-RateLimit-Limit': header('Requests allowed in the window with the fewest left.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in that window.', 'integer'),
  'X-RateLimit-Reset': header('When that window resets, in Unix seconds.', 'integer'),
  'RateLimit-Policy': header('All windows that apply (IETF draft).', 'string'),
  RateLimit: header('What is left of each window (IETF draft).', 'string'),
  'X-Request-Id': header(
    'Identifies the request in logs and errors; a valid one sent by the client is used.',
    'string',
  ),
  ETag: header('The version of the record, quoted; of a list, a value that changes with its contents.', 'string'),
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
      required: ['code', 'reason', 'message', 'requestId'],
      properties: {
        code: { enum: Object.keys(errorCodes) },
        reason: {
          enum: Object.keys(errorReasons),
          description: 'The cause, more specific than the code. Use it to decide what to do or which text to show.',
        },
        message: { type: 'string', description: 'What is wrong and what to do next.' },
        requestId: { type: 'string' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { type: 'string' },
              message: { type: 'string' },
              record: {
                type: 'string',
                description: 'The kind of record that the field refers to, if that record does not exist.',
              },
            },
          },
        },
        hint: { type: 'string' },
        retryAfter: { type: 'integer', minimum: 1, description: 'Seconds to wait.' },
      },
    },
  },
}

const descriptions: Record<ErrorCode, string> = {
  VALIDATION_ERROR: 'Invalid body, query, path or cursor; `details` lists each field.',
  UNAUTHORIZED: 'Missing or invalid API key; `reason` is missing, invalid, expired or revoked.',
  FORBIDDEN:
    'The key lacks the scope (`requiredScope`), its user lacks the role (`reason`: `role`), or access to the project is missing (`requiredProject`).',
  NOT_FOUND: 'Record not found.',
  METHOD_NOT_ALLOWED: 'Method not allowed; see `Allow`.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  CONFLICT:
    'Conflicts with the current state: a key in use, a project not empty, an ambiguous key, a request still running, a claim.',
  GONE: 'That position of the event log is no longer retained.',
  PRECONDITION_FAILED: '`If-Match` or `If-None-Match` does not match; `currentVersion` is the current version.',
  PAYLOAD_TOO_LARGE: 'The body or the content is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON.',
  IDEMPOTENCY_MISMATCH: 'The Idempotency-Key was used for a different request.',
  RATE_LIMIT_EXCEEDED: 'Rate limit exceeded; `limit` says which, `retryAfter` how long to wait.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
  INTERNAL_ERROR: 'Internal error.',
  SERVICE_UNAVAILABLE: 'Temporarily unavailable; try again after `Retry-After` seconds.',
}

const headersOfError: Partial<Record<ErrorCode, HeaderName[]>> = {
  UNAUTHORIZED: ['WWW-Authenticate'],
  RATE_LIMIT_EXCEEDED: ['Retry-After'],
  SERVICE_UNAVAILABLE: ['Retry-After'],
}

export const componentResponses = () => {
  const responses: Record<string, unknown> = {
    NOT_MODIFIED: {
      description: 'Not modified: the caller has the current version.',
      headers: responseHeaders('ETag'),
    },
  }
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const [reason] = Object.entries(errorReasons).find(([, each]) => each === code)!
    responses[code] = {
      description: descriptions[code],
      headers: responseHeaders(...(headersOfError[code] ?? [])),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          example: { error: { code, reason, message: descriptions[code], requestId: 'req_5fVnQ2kL1' } },
        },
      },
    }
  }
  return responses
}
