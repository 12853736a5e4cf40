import type { CountedAdmission } from './admission.js'
import type { Decision, WindowState } from './limiter.js'
import { type LimitedWindow, type Rules, windowKinds, windowsCountedBy } from './windows.js'

/** How much of one window is used. With nothing used it is closed, and opens at the next request. */
interface Count {
  openedAtMs: number
  used: number
}

/** By the places of the window kinds. */
export type Counts = readonly Count[]

export const noCounts = (): Counts => windowKinds.map(() => ({ openedAtMs: 0, used: 0 }))

/** Closes the window if its time is over. */
const settle = (count: Count, lengthMs: number, nowMs: number): void => {
  if (count.used === 0) return
  // The clock was set back: what was used stays used, and the wait is never longer than the window.
  if (count.openedAtMs > nowMs) count.openedAtMs = nowMs
  else if (nowMs - count.openedAtMs >= lengthMs) count.used = 0
}

const waitOf = (count: Count, window: LimitedWindow, nowMs: number): number =>
  count.used === 0 ? window.lengthMs : count.openedAtMs + window.lengthMs - nowMs

const stateOf = (window: LimitedWindow, count: Count, waitMs: number, wallMs: number): WindowState => ({
  name: window.name,
  policyName: window.policyName,
  limit: window.limit,
  remaining: Math.max(0, window.limit - count.used),
  lengthSeconds: window.lengthSeconds,
  reset: Math.ceil((wallMs + waitMs) / 1_000),
  waitSeconds: Math.ceil(waitMs / 1_000),
})

/** Without an admission it is one request, which costs one in every window of its rules. */
const costIn = ({ at }: LimitedWindow, admission: CountedAdmission | undefined): number =>
  admission === undefined ? 1 : admission.costs[at]!

const refuses = (window: LimitedWindow, counts: Counts, admission: CountedAdmission | undefined): boolean => {
  const cost = costIn(window, admission)
  return cost > 0 && counts[window.at]!.used + cost > window.limit
}

const isRefused = (
  { windows }: Rules,
  counts: Counts,
  nowMs: number,
  admission: CountedAdmission | undefined,
): boolean => {
  let refused = false
  for (const window of windows) {
    settle(counts[window.at]!, window.lengthMs, nowMs)
    if (refuses(window, counts, admission)) refused = true
  }
  return refused
}

const countIn = ({ windows }: Rules, counts: Counts, nowMs: number, admission: CountedAdmission | undefined): void => {
  for (const window of windows) {
    const cost = costIn(window, admission)
    if (cost === 0) continue
    const count = counts[window.at]!
    if (count.used === 0) count.openedAtMs = nowMs
    count.used += cost
  }
}

/** How many of the operations could be counted, one after the other, until one is refused. */
const fittingOperations = ({ windows }: Rules, counts: Counts, { operations, countsIn }: CountedAdmission) => {
  const left = new Map(windows.map(({ at, limit }) => [at, Math.max(0, limit - counts[at]!.used)]))
  const take = (at: number): boolean => {
    left.set(at, left.get(at)! - 1)
    return left.get(at)! >= 0
  }
  const refusedAt = operations.findIndex((endpoint) => !windowsCountedBy(endpoint, countsIn).every(take))
  return refusedAt === -1 ? operations.length : refusedAt
}

/**
 * Counts a request, or the operations of an admission together, in every window of the rules or in none. `nowMs` is by
 * the clock that the counts are kept in, `wallMs` the same moment as a caller's calendar has it.
 */
export const decide = (
  rules: Rules,
  counts: Counts,
  nowMs: number,
  wallMs: number,
  admission?: CountedAdmission,
): Decision => {
  const isAllowed = !isRefused(rules, counts, nowMs, admission)
  if (isAllowed) countIn(rules, counts, nowMs, admission)

  const states: WindowState[] = []
  let shown: WindowState | undefined
  let shownWaitMs = 0
  for (const window of rules.windows) {
    const count = counts[window.at]!
    const waitMs = waitOf(count, window, nowMs)
    const state = stateOf(window, count, waitMs, wallMs)
    states.push(state)
    if (!isAllowed && !refuses(window, counts, admission)) continue
    // On a refusal the longest wait among the windows that refused, or else the fewest left.
    const isTighter = !shown || (isAllowed ? state.remaining < shown.remaining : waitMs > shownWaitMs)
    if (isTighter || (isAllowed && state.remaining === shown!.remaining && waitMs > shownWaitMs)) {
      shown = state
      shownWaitMs = waitMs
    }
  }
  const decision: Decision = { isAllowed, shown: shown!, windows: states, policy: rules.policy }
  if (isAllowed) return decision
  decision.retryAfter = Math.max(1, shown!.waitSeconds)
  if (admission) decision.fits = fittingOperations(rules, counts, admission)
  return decision
}

/** The windows as they stand, counting nothing. */
export const lookAt = ({ windows }: Rules, counts: Counts, nowMs: number, wallMs: number): WindowState[] =>
  windows.map((window) => {
    const count = counts[window.at]!
    settle(count, window.lengthMs, nowMs)
    return stateOf(window, count, waitOf(count, window, nowMs), wallMs)
  })
