import { setTimeout as sleep } from 'node:timers/promises'

export const longRunVariable = 'WORKLORE_TEST_LONG'

/** How often or how long: less in `npm test` than in `npm run test:all`. */
export const inLongRun = <T>(short: T, long: T): T => (process.env[longRunVariable] === 'true' ? long : short)

/** A bound on a time that was measured. Only the long run keeps it, on a machine that does nothing else. */
export const quietBoundMs = (ms: number): number => inLongRun(Number.POSITIVE_INFINITY, ms)

/** Slows down a client that runs until it is told to stop, so that the short run has the processors for its other tests. */
export const pauseInShortRun = async (): Promise<void> => {
  if (inLongRun(true, false)) await sleep(300)
}
