import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** What came of a run of test files. */
export interface Totals {
  passed: number
  skipped: number
  /** Each by its file and its name. */
  failures: string[]
}

/** Of the error of a test, the part that its type leaves open. */
interface Failure {
  failureType?: string
}

/** A reporter of the test runner that writes the totals as JSON. */
export default async function* totalsReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const totals: Totals = { passed: 0, skipped: 0, failures: [] }
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.details.type !== 'suite') {
      if (data.skip === undefined) totals.passed++
      else totals.skipped++
    }
    // A suite and a file fail with their tests, or on their own.
    if (type === 'test:fail' && (data.details.error as Failure).failureType !== 'subtestsFailed') {
      totals.failures.push(`${data.file === undefined ? '' : `${relative(process.cwd(), data.file)}: `}${data.name}`)
    }
  }
  yield JSON.stringify(totals)
}
