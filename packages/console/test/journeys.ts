import { test } from 'node:test'
import { isShortRun } from 'worklore-testing/long-run'

type DescribeTest = (name: string, run: () => Promise<void>) => void

/**
 * Describes a browser test that `npm test` runs too. `npm test` skips browser test files without one. This is the runner's
 * own function, not a wrapper, because the runner attributes a test to the file of its caller.
 */
export const journey: DescribeTest = test

/** Describes a test that `npm test` skips, in a file that also has journeys. */
export const it: DescribeTest = isShortRun ? () => {} : test
