import { AppError } from '../base/errors.js'
import type { Decision } from './limiter.js'
import type { Plan } from './plans.js'

/** The 429 of a refused request; without a plan the caller had no valid key. */
export const overLimit = ({ shown, retryAfter = 1 }: Decision, plan?: Plan): AppError => {
  const params = { retryAfter, limit: shown.name, ...(plan && { plan: plan.name }) }
  return plan
    ? new AppError('rate', `Rate limit exceeded: the ${plan.name} plan allows ${shown.limit} ${shown.name}.`, params)
    : new AppError(
        'rate',
        `Too many requests without a valid API key: ${shown.limit} per minute are allowed from one address.`,
        params,
      )
}
