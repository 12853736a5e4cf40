import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** What came of a run of test files. */
export interface Totals {
  passed: number
  skipped: number
  /** Each by its file and its name. */
  failures: string[]
  /** How long the tests of each file took, of which several may run side by side. */
  durationsMs: Record<string, number>
}

export const noTotals = (): Totals => ({ passed: 0, skipped: 0, failures: [], durationsMs: {} })

/** Of the error of a test, the part that its type leaves open. */
interface Failure {
  failureType?: string
}

const nameOf = (file: string | undefined): string => (file === undefined ? '' : relative(process.cwd(), file))

const isShared = (file: string): boolean => !file.includes('.test.')

/** A reporter of the test runner that writes the totals as JSON. */
export default async function* totalsReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const totals = noTotals()
  let testFile = ''
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const file = nameOf(data.file)
    // A suite that shared code describes belongs to the file of its tests, which are reported before it.
    if (!isShared(file)) testFile = file
    if (data.nesting === 0)
      totals.durationsMs[testFile] = (totals.durationsMs[testFile] ?? 0) + data.details.duration_ms
    if (type === 'test:pass' && data.details.type !== 'suite') {
      if (data.skip === undefined) totals.passed++
      else totals.skipped++
    }
    // A suite and a file fail with their tests, or on their own.
    if (type === 'test:fail' && (data.details.error as Failure).failureType !== 'subtestsFailed') {
      totals.failures.push(`${file === '' ? '' : `${file}: `}${data.name}`)
    }
  }
  yield JSON.stringify(totals)
}
