import type { Decision, WindowState } from './limiter.js'
import { type LimitedWindow, type Rules, windowKinds } from './windows.js'

/** How much of one window is used. With nothing used it is closed, and opens at the next request. */
export interface Count {
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
  limit: window.limit,
  remaining: Math.max(0, window.limit - count.used),
  lengthSeconds: window.lengthSeconds,
  reset: Math.ceil((wallMs + waitMs) / 1_000),
  waitSeconds: Math.ceil(waitMs / 1_000),
})

const isRefused = ({ windows }: Rules, counts: Counts, nowMs: number): boolean => {
  let refused = false
  for (const window of windows) {
    const count = counts[window.at]!
    settle(count, window.lengthMs, nowMs)
    if (count.used >= window.limit) refused = true
  }
  return refused
}

const countIn = ({ windows }: Rules, counts: Counts, nowMs: number): void => {
  for (const window of windows) {
    const count = counts[window.at]!
    if (count.used === 0) count.openedAtMs = nowMs
    count.used++
  }
}

/**
 * Counts a request in every window of the rules, or in none. `nowMs` is by the clock that the counts are kept in,
 * `wallMs` the same moment as a caller's calendar has it.
 */
export const decide = (rules: Rules, counts: Counts, nowMs: number, wallMs: number): Decision => {
  const isAllowed = !isRefused(rules, counts, nowMs)
  if (isAllowed) countIn(rules, counts, nowMs)

  const states: WindowState[] = []
  let shown: WindowState | undefined
  let shownWaitMs = 0
  for (const window of rules.windows) {
    const count = counts[window.at]!
    const waitMs = waitOf(count, window, nowMs)
    const state = stateOf(window, count, waitMs, wallMs)
    states.push(state)
    // On a refusal the fewest left are none, so this is the longest wait among the windows that refused.
    const isTighter = !shown || state.remaining < shown.remaining
    if (isTighter || (state.remaining === shown!.remaining && waitMs > shownWaitMs)) {
      shown = state
      shownWaitMs = waitMs
    }
  }
  const decision: Decision = { isAllowed, shown: shown!, windows: states, policy: rules.policy }
  if (!isAllowed) decision.retryAfter = Math.max(1, shown!.waitSeconds)
  return decision
}

/** The windows as they stand, counting nothing. */
export const lookAt = ({ windows }: Rules, counts: Counts, nowMs: number, wallMs: number): WindowState[] =>
  windows.map((window) => {
    const count = counts[window.at]!
    settle(count, window.lengthMs, nowMs)
    return stateOf(window, count, waitOf(count, window, nowMs), wallMs)
  })
