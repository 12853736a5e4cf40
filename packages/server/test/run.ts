import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepareTemplate } from './engines.js'
import { startPostgres } from './postgres-server.js'
import type { Totals } from './totals-reporter.js'

/**
 * Runs every test file, or those whose path contains one of the words given, against one PostgreSQL server. All of it
 * has one temporary folder and one process group, which go with the run, however a test ended.
 *
 * Files run side by side, but for those that measure: a file named `*.timed.test.ts` holds the tests that fail when
 * something takes too long, and these run afterwards, one file at a time with nothing beside it.
 */
const packages = fileURLToPath(new URL('../../..', import.meta.url))
const words = process.argv.slice(2)

const sourceOf = (file: string): string => packages + file.slice(packages.length).replace(/\/dist\/(.*)\.js$/, '/$1.ts')

const files = readdirSync(packages)
  .map((name) => join(packages, name, 'dist'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => (readdirSync(folder, { recursive: true }) as string[]).map((file) => join(folder, file)))
  .filter((file) => file.endsWith('.test.js'))
  // What is left in dist of a file that is gone or has another name is no test.
  .filter((file) => existsSync(sourceOf(file)))
  .filter((file) => words.length === 0 || words.some((word) => file.slice(packages.length).includes(word)))
  .sort()
if (files.length === 0) {
  console.error(`No test file has a path that contains ${words.join(' or ')}.`)
  process.exit(1)
}
const isTimed = (file: string): boolean => file.endsWith('.timed.test.js')

const scratch = mkdtempSync(join(tmpdir(), 'worklore-run-'))
// PostgreSQL may run as another user.
chmodSync(scratch, 0o755)
process.env.TMPDIR = scratch

const startedAtMs = performance.now()
// No test is about a crash of this server: those that are start one of their own.
const postgres = await startPostgres({ isDurable: false })
process.env.WORKLORE_TEST_POSTGRES = postgres.url
await prepareTemplate()

let isStopped = false
let running: ReturnType<typeof spawn> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    running?.kill(signal)
  })
}

const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

const filesPerProcess = 5

/** Loading the service takes a second of a processor, so that short files of one folder share a process. */
const inGroups = (chosen: readonly string[]): string[][] => {
  const groups: string[][] = []
  for (const file of chosen) {
    const last = groups.at(-1)
    const isShort = ['server', 'search'].some((name) => file.startsWith(join(packages, name, '/')))
    const hasRoom = last !== undefined && last.length < filesPerProcess && dirname(last[0]!) === dirname(file)
    if (isShort && hasRoom) last.push(file)
    else groups.push([file])
  }
  return groups
}

/** A file for the test runner that loads those of a group. */
const entryOf = (group: readonly string[], at: number): string => {
  if (group.length === 1) return group[0]!
  const entry = join(scratch, `${String(at).padStart(3, '0')}.test.mjs`)
  writeFileSync(entry, group.map((file) => `import '${pathToFileURL(file)}'\n`).join(''))
  return entry
}

const totalsFile = join(scratch, 'totals.json')
const totalsReporter = new URL('totals-reporter.js', import.meta.url).href

interface Outcome extends Totals {
  isGood: boolean
}

/** What came of the tests; undefined where their run did not end as it should. */
const runEntries = async (entries: readonly string[], concurrency: number): Promise<Outcome | undefined> => {
  if (isStopped) return undefined
  const runner = spawn(
    process.execPath,
    [
      '--enable-source-maps',
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${totalsReporter}`,
      `--test-reporter-destination=${totalsFile}`,
      '--test-timeout=600000',
      `--test-concurrency=${concurrency}`,
      ...entries,
    ],
    { stdio: 'inherit', detached: true },
  )
  running = runner
  const code = await new Promise<number | null>((done) => runner.on('exit', done))
  endGroup(runner.pid!)
  const text = existsSync(totalsFile) ? readFileSync(totalsFile, 'utf8') : ''
  rmSync(totalsFile, { force: true })
  if (text === '') return undefined
  return { ...(JSON.parse(text) as Totals), isGood: code === 0 }
}

const timed = files.filter(isTimed)
const groups = inGroups(files.filter((file) => !isTimed(file)))
const phases = [
  // Tests wait about as long as they compute.
  { entries: groups.map(entryOf), concurrency: Math.min(8, 2 * cpus().length) },
  { entries: timed, concurrency: 1 },
].filter(({ entries }) => entries.length > 0)
const outcomes: (Outcome | undefined)[] = []
for (const { entries, concurrency } of phases) outcomes.push(await runEntries(entries, concurrency))

await postgres.stop()
const left = readdirSync(scratch).filter((name) => !name.endsWith('.test.mjs'))
if (left.length > 0) console.error(`Left in the temporary folder by a test: ${left.join(', ')}`)
rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

const failures = outcomes.flatMap((outcome) => outcome?.failures ?? [])
const passed = outcomes.reduce((total, outcome) => total + (outcome?.passed ?? 0), 0)
const skipped = outcomes.reduce((total, outcome) => total + (outcome?.skipped ?? 0), 0)
const isGood = outcomes.every((outcome) => outcome?.isGood)
const seconds = Math.round((performance.now() - startedAtMs) / 1_000)
for (const failure of failures) console.log(`failed: ${failure}`)
if (outcomes.includes(undefined)) console.log('The run did not come to its end.')
console.log(
  `${isGood ? 'PASSED' : 'FAILED'} in ${Math.floor(seconds / 60)} min ${seconds % 60} s: ` +
    `${passed} tests passed, ${failures.length} failed and ${skipped} were skipped, in ${files.length} files`,
)
process.exit(isGood ? 0 : 1)
