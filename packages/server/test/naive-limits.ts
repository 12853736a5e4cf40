import type { EndpointLimit } from '../src/limits/limiter.js'
import type { Plan } from '../src/limits/plans.js'

interface NaiveWindow {
  name: string
  limit: number
  remaining: number
  waitMs: number
}

const definitions = [
  { name: 'requests per minute', limit: 'requestsPerMinute', lengthMs: 60_000, counts: () => true },
  { name: 'requests per day', limit: 'requestsPerDay', lengthMs: 86_400_000, counts: () => true },
  { name: 'task creates per hour', limit: 'taskCreatesPerHour', lengthMs: 3_600_000, counts: 'taskCreates' },
  { name: 'searches per minute', limit: 'searchesPerMinute', lengthMs: 60_000, counts: 'searches' },
  {
    name: 'knowledge writes per hour',
    limit: 'knowledgeWritesPerHour',
    lengthMs: 3_600_000,
    counts: 'knowledgeWrites',
  },
] as const

/** The limits as the contract words them, worked out anew from the list of all requests that passed. */
export const createNaiveLimits = () => {
  const passed: { atMs: number; endpoint: EndpointLimit | undefined }[] = []

  const standing = (plan: Plan, endpoint: EndpointLimit | undefined, nowMs: number): NaiveWindow[] =>
    definitions
      .filter(({ counts }) => typeof counts === 'function' || counts === endpoint)
      .map(({ name, limit, lengthMs, counts }) => {
        let openedAtMs = Number.NEGATIVE_INFINITY
        let used = 0
        for (const request of passed) {
          if (typeof counts === 'string' && request.endpoint !== counts) continue
          if (request.atMs >= openedAtMs + lengthMs) {
            openedAtMs = request.atMs
            used = 0
          }
          used++
        }
        const isOpen = nowMs < openedAtMs + lengthMs
        return {
          name,
          limit: plan[limit],
          remaining: isOpen ? Math.max(0, plan[limit] - used) : plan[limit],
          waitMs: isOpen ? openedAtMs + lengthMs - nowMs : lengthMs,
        }
      })

  return {
    take: (plan: Plan, endpoint: EndpointLimit | undefined, nowMs: number) => {
      const isAllowed = standing(plan, endpoint, nowMs).every(({ remaining }) => remaining > 0)
      if (isAllowed) passed.push({ atMs: nowMs, endpoint })
      const windows = standing(plan, endpoint, nowMs)
      const [shown] = windows.toSorted((a, b) => a.remaining - b.remaining || b.waitMs - a.waitMs)
      return { isAllowed, windows, shown: shown! }
    },
  }
}
