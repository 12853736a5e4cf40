import { ApiError, ForbiddenError, NetworkError, RateLimitError } from 'worklore-client'

/** For codes whose messages tell a program what to send next. */
const sentences: Partial<Record<ApiError['code'], string>> = {
  NOT_FOUND: 'It does not exist, or your key may not see it.',
  PRECONDITION_FAILED: 'Someone else changed it meanwhile. Look at it as it is now, then try again.',
  PAYLOAD_TOO_LARGE: 'The text is too large.',
  REQUEST_TIMEOUT: 'The service did not receive all of it in time. Try again.',
  INTERNAL_ERROR: 'Something went wrong in the service.',
  SERVICE_UNAVAILABLE: 'The service is busy. Try again in a moment.',
}

/** Names of fields, headers and requests, which mean something to a program alone. */
const programTerms =
  /\b(If-Match|If-None-Match|Worklore-Claim|Idempotency-Key|[a-z]+Ids?|force|headers?|token|takeover)\b|\b(GET|POST|PUT|PATCH|DELETE) \//

const forPeople = (message: string): string =>
  message
    .split(/(?<=[.?!])\s+/)
    .filter((sentence) => !programTerms.test(sentence.replace(/"[^"]*"/g, '')))
    .join(' ')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (iso) => new Date(iso).toLocaleString()) || 'The service refused it.'

/** `blockedBy.0` → `blocked by` */
const fieldOf = (path: string): string =>
  path
    .replace(/\.\d+/g, '')
    .replace(/Ids?$/, '')
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()

const withStop = (text: string): string => text + (/[.?!]$/.test(text) ? '' : '.')

const problemsOf = ({ details }: ApiError): string => {
  const problems = [...new Set(details.map(({ path, message }) => `${fieldOf(path)} ${message}`.trim()))].join('; ')
  return withStop(problems.charAt(0).toUpperCase() + problems.slice(1))
}

/** Why a change was not made. */
export const errorText = (error: unknown): string => {
  if (error instanceof ForbiddenError && error.requiredScope) {
    return `This needs the scope ${error.requiredScope}, which your key does not have.`
  }
  if (error instanceof RateLimitError) {
    const hint = error.hint?.replace('Wait retryAfter seconds, or ask', 'Or ask')
    return [error.message, hint && withStop(hint)].filter(Boolean).join(' ')
  }
  if (error instanceof ApiError) {
    return error.details.length > 0 ? problemsOf(error) : (sentences[error.code] ?? forPeople(error.message))
  }
  if (error instanceof NetworkError) return 'The service did not answer. Check whether the change was saved.'
  return error instanceof Error ? error.message : String(error)
}

/** Why something could not be read. */
export const readErrorText = (error: unknown): string =>
  error instanceof NetworkError
    ? 'The service did not answer. Check that it is running, then try again.'
    : errorText(error)
