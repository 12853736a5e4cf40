import { AppError } from '../base/errors.js'
import type { Decision } from './limiter.js'
import type { Plan } from './plans.js'

const seconds = (count: number): string => (count === 1 ? '1 second' : `${count} seconds`)

/** The 429 of a refused request; without a plan the caller had no valid key. */
export const overLimit = (decision: Decision, plan?: Plan): AppError => {
  const { shown, retryAfter = 1 } = decision
  const wait = `Try again in ${seconds(retryAfter)}.`
  if (!plan) {
    return new AppError(
      'RATE_LIMIT_EXCEEDED',
      `Too many requests without a valid API key: ${shown.limit} per minute are allowed from one address. ${wait}`,
      { retryAfter, limit: shown.name, hint: 'Send a valid key as "Authorization: Bearer <API key>".' },
    )
  }
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Rate limit exceeded: the ${plan.name} plan allows ${shown.limit} ${shown.name}. ${wait}`,
    {
      retryAfter,
      limit: shown.name,
      plan: plan.name,
      hint: 'Wait retryAfter seconds, or ask the operator for a larger plan: npx worklore tenants set-plan TENANT PLAN',
    },
  )
}
