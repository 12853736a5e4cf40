import { setTimeout as sleep } from 'node:timers/promises'

/** How many items to read for one round. */
export const itemsPerRound = 20
/** A round ends after this time, so that other tenants get their turn. */
const roundMs = 1_000

/**
 * Runs a step of each item in turn until no item is left or the round ends. `step` returns the item for its next step, or
 * undefined after its last. Returns the items that are left. Other work proceeds during the pause after each step.
 */
export const runRound = async <T>(
  items: readonly T[],
  step: (item: T) => Promise<T | undefined>,
  pauseMs = 1,
): Promise<readonly T[]> => {
  const untilMs = performance.now() + roundMs
  let pending = items
  while (pending.length > 0 && performance.now() < untilMs) {
    const left: T[] = []
    for (const item of pending) {
      const next = await step(item)
      if (next !== undefined) left.push(next)
      await sleep(pauseMs)
    }
    pending = left
  }
  return pending
}
