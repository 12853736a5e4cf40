import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { loading, type SuiteCost } from './costs.js'
import { type StatementsBySuite, statementsBySuite } from './kept-statements.js'
import { readCosts } from './test-costs.js'

/** Results of the tests of one process. */
export interface Totals {
  passed: number
  skipped: number
  /** Each by its file and its name. */
  failures: string[]
  /** The cost of each suite, with its test file. */
  costs: (SuiteCost & { file: string })[]
  /** SQL texts that each file ran on PostgreSQL. */
  statements: StatementsBySuite
}

/** A property of test errors that their type does not declare. */
interface Failure {
  failureType?: string
}

const nameOf = (file: string | undefined): string => (file === undefined ? '' : relative(process.cwd(), file))

const isShared = (file: string): boolean => !file.includes('.test.')

/** A reporter of the test runner that writes the totals as JSON. */
export default async function* totalsReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const totals: Totals = { passed: 0, skipped: 0, failures: [], costs: [], statements: {} }
  const fileOf = new Map<string, string>()
  let testFile = ''
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const file = nameOf(data.file)
    // A suite that shared code describes belongs to the file of its tests, which are reported before it.
    if (!isShared(file)) testFile = file
    if (data.nesting === 0) fileOf.set(data.name, testFile)
    if (type === 'test:pass' && data.details.type !== 'suite') {
      if (data.skip === undefined) totals.passed++
      else totals.skipped++
    }
    // A suite and a file fail with their tests, or on their own.
    if (type === 'test:fail' && (data.details.error as Failure).failureType !== 'subtestsFailed') {
      totals.failures.push(`${file === '' ? '' : `${file}: `}${data.name}`)
    }
  }
  totals.costs = readCosts().map((cost) => ({ ...cost, file: fileOf.get(cost.suite) ?? loading }))
  for (const [suite, texts] of Object.entries(statementsBySuite())) {
    const file = fileOf.get(suite) ?? loading
    totals.statements[file] = [...new Set([...(totals.statements[file] ?? []), ...texts])]
  }
  yield JSON.stringify(totals)
}
