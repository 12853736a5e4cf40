import type { WireAnswer } from './exchange.js'

/** The window nearest to its end, as the last answer's headers told it. */
export interface Limits {
  limit: number
  remaining: number
  /** When the window ends, in Unix seconds. */
  reset: number
}

export const limitsOf = ({ header }: WireAnswer): Limits | undefined => {
  const numbers = ['limit', 'remaining', 'reset'].map((name) => header(`x-ratelimit-${name}`))
  if (numbers.includes(undefined)) return undefined
  const [limit, remaining, reset] = numbers.map(Number) as [number, number, number]
  return { limit, remaining, reset }
}
