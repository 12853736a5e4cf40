import { AppError } from '../errors.js'
import type { Decision } from './limiter.js'
import type { Plan } from './plans.js'

const seconds = (count: number): string => (count === 1 ? '1 second' : `${count} seconds`)

/** The 429 of a refused request; without a plan the caller had no valid key. */
export const overLimit = (decision: Decision, plan?: Plan): AppError => {
  const { shown, retryAfter = 1 } = decision
  const wait = `Wait ${seconds(retryAfter)} and send it again.`
  if (!plan) {
    return new AppError(
      'RATE_LIMIT_EXCEEDED',
      `Your address has made its ${shown.limit} requests without a valid API key for this minute. ${wait}`,
      { retryAfter, limit: shown.name, hint: 'Send a valid key as "Authorization: Bearer <API key>".' },
    )
  }
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `The ${plan.name} plan allows ${shown.limit} ${shown.name}, and they are used up. ${wait}`,
    {
      retryAfter,
      limit: shown.name,
      plan: plan.name,
      hint: 'Wait as long as retryAfter says; or ask the operator for a larger plan: npx worklore tenants set-plan TENANT PLAN',
    },
  )
}
