import { ApiError, ForbiddenError, NetworkError, RateLimitError } from 'worklore-client'

/** What went wrong, in the service's own words. */
export const errorText = (error: unknown): string => {
  if (error instanceof ForbiddenError && error.requiredScope) {
    return `This needs the scope ${error.requiredScope}, which your key does not have.`
  }
  if (error instanceof RateLimitError) {
    return `Rate limit reached (${error.limit ?? 'requests'}). Try again in ${error.retryAfter ?? 60} s.`
  }
  if (error instanceof ApiError) {
    const details = error.details.map(({ path, message }) => `${path} ${message}`).join('; ')
    return details ? `${error.message} ${details}` : error.message
  }
  if (error instanceof NetworkError) return 'The service does not answer. Nothing was changed.'
  return error instanceof Error ? error.message : String(error)
}
