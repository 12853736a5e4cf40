import { test } from 'node:test'
import { isShortRun } from 'worklore-testing/long-run'

type DescribeTest = (name: string, run: () => Promise<void>) => void

/**
 * A test of a way through the console that `npm test` takes in a browser. A file without any runs in `npm run test:all` only.
 * It is the runner's own function, which takes the file of a test from its caller.
 */
export const journey: DescribeTest = test

/** A test that `npm test` leaves to `npm run test:all`, in a file that has journeys as well. */
export const it: DescribeTest = isShortRun ? () => {} : test
