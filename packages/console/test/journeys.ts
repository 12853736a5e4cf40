import { test } from 'node:test'
import { isShortRun } from 'worklore-testing/long-run'

type DescribeTest = (name: string, run: () => Promise<void>) => void

const describeTest: DescribeTest = (name, run) => void test(name, run)

/** A test of a way through the console that `npm test` takes in a browser. Files without one run in `npm run test:all` only. */
export const journey = describeTest

/** A test that `npm test` leaves to `npm run test:all`, in a file that has journeys as well. */
export const it: DescribeTest = isShortRun ? () => {} : describeTest
