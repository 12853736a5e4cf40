import type { Awaitable } from '../base/awaitable.js'
import type { Plan } from './plans.js'

/** What a route is counted as besides a request. */
export type EndpointLimit = 'taskCreates' | 'searches' | 'knowledgeWrites'

/** The windows that the requests themselves count in: the plan's, or those of sessions for their reads. */
export type RequestWindows = 'plan' | 'sessionReads' | 'sessionWrites'

/** Operations that are decided together: all of them are counted, or none. */
export interface Admission {
  /** What each is counted as besides a request, in the order in which they are to run. */
  operations: readonly (EndpointLimit | undefined)[]
  /** Where each also counts as a request; null where its request was counted already. */
  countsIn: RequestWindows | null
}

export interface WindowState {
  /** As a person says it: "requests per minute". */
  name: string
  /** The same as a structured field has it. */
  policyName: string
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
  /** How many of the operations, from the first on, would fit now; only on a refusal. */
  fits?: number
}

export interface LookUps {
  take(address: string): boolean
  giveBack(address: string): void
}

export interface Limiter {
  /** Counts the request in every window that applies, or in none. */
  take(tenantId: string, plan: Plan, endpoint?: EndpointLimit, countsIn?: RequestWindows): Awaitable<Decision>
  /** Counts all of the operations in every window that applies to each, or none of them. Without any it only looks. */
  admit(tenantId: string, plan: Plan, admission: Admission): Awaitable<Decision>
  /** Removes a request that `take` counted from its windows, because another limit refused it. */
  giveBack(tenantId: string, endpoint: EndpointLimit | undefined, countsIn: RequestWindows): Awaitable<unknown>
  /** Counts a request that has no valid key by where it came from. */
  takeAnonymous(address: string): Decision
  /** The same as it stands, counting nothing. */
  lookAnonymous(address: string): Decision
  /** Bounds the look-ups of unknown keys by where they came from; a good key gives its look-up back. */
  lookUps: LookUps
  /** All windows of the plan as they stand, counting nothing. */
  look(tenantId: string, plan: Plan): Promise<WindowState[]>
  /** Writes the counts that are only in memory. */
  flush(): Promise<void>
  close(): Promise<void>
}
