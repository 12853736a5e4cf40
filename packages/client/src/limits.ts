/** The window nearest to its end, as the last answer's headers told it. */
export interface Limits {
  limit: number
  remaining: number
  /** When the window ends, in Unix seconds. */
  reset: number
}

export const limitsOf = (headers: Headers): Limits | undefined => {
  const numbers = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
  if (numbers.includes(null)) return undefined
  const [limit, remaining, reset] = numbers.map(Number) as [number, number, number]
  return { limit, remaining, reset }
}
