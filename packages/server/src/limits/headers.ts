import type { Decision, WindowState } from './limiter.js'

/** A type and not an interface, so that it passes for any record of headers. */
type RateLimitHeaders = {
  'X-RateLimit-Limit': string
  'X-RateLimit-Remaining': string
  'X-RateLimit-Reset': string
  'RateLimit-Policy': string
  RateLimit: string
}

const serviceLimits = (windows: readonly WindowState[]): string => {
  let list = ''
  for (const window of windows) {
    if (list !== '') list += ', '
    list += `${window.policyName};r=${window.remaining};t=${window.waitSeconds}`
  }
  return list
}

/**
 * The structured fields are those of draft-ietf-httpapi-ratelimit-headers-11. `Retry-After` is not among them: it
 * comes with the error that asks for it.
 */
export const rateLimitHeaders = (decision: Decision): RateLimitHeaders => {
  const { shown, windows, policy } = decision
  return {
    'X-RateLimit-Limit': String(shown.limit),
    'X-RateLimit-Remaining': String(shown.remaining),
    'X-RateLimit-Reset': String(shown.reset),
    'RateLimit-Policy': policy,
    RateLimit: serviceLimits(windows),
  }
}
