import { setTimeout as sleep } from 'node:timers/promises'

export const longRunVariable = 'WORKLORE_TEST_LONG'
export const shortRunVariable = 'WORKLORE_TEST_SHORT'
export const timedRunVariable = 'WORKLORE_TEST_TIMED'

/** How often or how long: less in `npm test` than in `npm run test:all`. */
export const inLongRun = <T>(short: T, long: T): T => (process.env[longRunVariable] === 'true' ? long : short)

/** Whether this is a complete `npm test`, not a run of single files by name. */
export const isShortRun = process.env[shortRunVariable] === 'true'

/** Whether this is `npm run test:timed`, on a machine that does nothing else. */
export const isTimedRun = process.env[timedRunVariable] === 'true'

/** Returns the upper limit for a measured time: `ms` in `npm run test:timed`, otherwise infinity. */
export const quietBoundMs = (ms: number): number => (isTimedRun ? ms : Number.POSITIVE_INFINITY)

/** Slows down a client that runs until it is told to stop, so that the short run has the processors for its other tests. */
export const pauseInShortRun = async (): Promise<void> => {
  if (inLongRun(true, false)) await sleep(300)
}
