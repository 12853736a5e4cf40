import type { Awaitable } from '../awaitable.js'
import type { Plan } from './plans.js'

/** What a route is counted as beside the plan's windows. */
export type EndpointLimit = 'taskCreates' | 'searches' | 'knowledgeWrites'

export interface WindowState {
  /** As a person says it: "requests per minute". */
  name: string
  limit: number
  remaining: number
  lengthSeconds: number
  /** Unix seconds, rounded up. */
  reset: number
  /** Whole seconds until then, rounded up: independent of anyone's clock. */
  waitSeconds: number
}

export interface Decision {
  isAllowed: boolean
  /** The window to show in the headers: the fewest left, or on a refusal the one that refused. */
  shown: WindowState
  /** Every window that applies. */
  windows: WindowState[]
  /** The windows that apply as a `RateLimit-Policy`, which is the same for all requests of this kind. */
  policy: string
  /** Whole seconds, at least 1; only on a refusal. */
  retryAfter?: number
}

export interface Limiter {
  /** Counts the request in every window that applies, or in none. */
  take(tenantId: string, plan: Plan, endpoint?: EndpointLimit): Awaitable<Decision>
  /** Counts a request that has no valid key by where it came from. */
  takeAnonymous(address: string): Decision
  /** The same as it stands, counting nothing. */
  lookAnonymous(address: string): Decision
  /** All windows of the plan as they stand, counting nothing. */
  look(tenantId: string, plan: Plan): Awaitable<WindowState[]>
  close(): Promise<void>
}
