import { uptime } from 'node:os'
import type { Clock } from '../base/clock.js'

/** Above the coarseness of the system's uptime, below any sleep worth noticing. */
const leastSleepMs = 3_000
const checkEveryMs = 1_000

/**
 * Milliseconds that pass at the pace of real time, whatever is done to the calendar. The monotonic clock stands
 * still while the machine sleeps; the system's uptime does not, so what it has gained is added.
 */
export const createSteadyClock = (
  monotonicMs: () => number = () => performance.now(),
  uptimeMs: () => number = () => uptime() * 1_000,
): Clock => {
  const leadMs = uptimeMs() - monotonicMs()
  let sleptMs = 0
  let checkedAtMs = monotonicMs()
  return () => {
    const elapsedMs = monotonicMs()
    if (elapsedMs - checkedAtMs >= checkEveryMs) {
      checkedAtMs = elapsedMs
      const gainedMs = uptimeMs() - elapsedMs - leadMs - sleptMs
      if (gainedMs > leastSleepMs) sleptMs += gainedMs
    }
    // Whole milliseconds, so that a sum of them rounds up to seconds without a stray fraction.
    return Math.floor(elapsedMs + sleptMs)
  }
}
