import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { cpus, freemem, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findCitusBuild, nodesVariable, startCluster } from './citus.js'
import { prepareTemplates } from './engines.js'
import { keptStatementsVariable } from './kept-statements.js'
import { longRunVariable } from './long-run.js'
import { findPgbouncer, poolerVariable, startPgbouncer } from './pooler.js'
import { startPostgres } from './postgres-server.js'
import { checkRouting } from './routing.js'
import { runningTests } from './running-tests.js'
import { chooseTestFiles, groupTestFiles, isTimed } from './test-files.js'
import { noTotals, type Totals } from './totals-reporter.js'

/**
 * Runs every test file, or those whose path contains one of the words given, against one PostgreSQL server; with `--all`
 * also the long ones; with `--citus` against a Citus cluster alone, and then sees that each statement goes to one shard;
 * with `--pooler` against PostgreSQL alone, by way of pgbouncer. All of it has one temporary folder and one process
 * group, which go with the run, however a test ended.
 */
const packages = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const withLong = process.argv.includes('--all')
const onCitus = process.argv.includes('--citus')
const citusBuild = onCitus ? findCitusBuild() : undefined
if (onCitus && !citusBuild) {
  console.log('Skipped: CITUS does not name a PostgreSQL with Citus.')
  process.exit(0)
}
const pgbouncer = process.argv.includes('--pooler') ? findPgbouncer() : undefined
if (process.argv.includes('--pooler') && !pgbouncer) {
  console.log('Skipped: pgbouncer is not installed, and PGBOUNCER does not name it.')
  process.exit(0)
}

const files = chooseTestFiles(packages, { words, withLong, onCitus })
if (files.length === 0) {
  console.error(`No test file has a path that contains ${words.join(' or ')}.`)
  process.exit(1)
}

const sharedMemory = '/dev/shm'
const scratchBytes = 4e9

/** A folder in memory where there is room: the tests commit so often that they would mostly wait for the disk. */
const scratchParent = (): string => {
  if (process.env.TMPDIR !== undefined || !existsSync(sharedMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(sharedMemory)
  return bavail * bsize >= scratchBytes && freemem() >= scratchBytes ? sharedMemory : tmpdir()
}

const scratch = mkdtempSync(join(scratchParent(), 'worklore-run-'))
// PostgreSQL may run as another user.
chmodSync(scratch, 0o755)
process.env.TMPDIR = scratch
if (withLong) process.env[longRunVariable] = 'true'

const startedAtMs = performance.now()
// No test is about a crash of this server: those that are start one of their own.
const cluster = citusBuild && (await startCluster(citusBuild))
if (cluster) process.env[nodesVariable] = cluster.urls.join(' ')
const postgres = cluster ?? (await startPostgres({ isDurable: false }))
process.env.WORKLORE_TEST_POSTGRES = postgres.url
const removeTemplates = cluster ? undefined : await prepareTemplates()
const pooler = pgbouncer ? await startPgbouncer(pgbouncer, Number(new URL(postgres.url).port)) : undefined
if (pooler) process.env[poolerVariable] = pooler.port

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

const entriesFolder = mkdtempSync(join(scratch, 'entries-'))
if (onCitus) process.env[keptStatementsVariable] = entriesFolder

const importsOf = (urls: readonly URL[]): string => urls.map((url) => `import '${url}'\n`).join('')

/** A file for the test runner, which takes them by name, that loads those of a group. */
const entryOf = (group: readonly string[], at: number): string => {
  const name = `${String(at).padStart(3, '0')}-${basename(group[0]!, '.test.js')}`
  const files = join(entriesFolder, `${name}.files.mjs`)
  const note = new URL('note-running-test.js', import.meta.url)
  writeFileSync(files, importsOf([note, ...group.map((file) => pathToFileURL(file))]))
  const entry = join(entriesFolder, `${name}.test.mjs`)
  const hooks = new URL('hook-until-loaded.js', import.meta.url)
  writeFileSync(entry, `import { dropHooks } from '${hooks}'\nawait import('${pathToFileURL(files)}')\ndropHooks()\n`)
  return entry
}

const totalsFile = join(entriesFolder, 'totals.json')

/** What came of the tests; undefined where their run did not end as it should. */
const runEntries = async (
  entries: readonly string[],
  concurrency: number,
): Promise<(Totals & { isGood: boolean }) | undefined> => {
  if (isStopped || entries.length === 0) return isStopped ? undefined : { ...noTotals(), isGood: true }
  const runner = spawn(
    process.execPath,
    [
      '--enable-source-maps',
      // Most code of a test runs too few times to be worth optimizing: suites of the API take up to a fifth less time.
      '--interrupt-budget=1000000',
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${new URL('totals-reporter.js', import.meta.url).href}`,
      `--test-reporter-destination=${totalsFile}`,
      // For a whole process: only what would never end fails by it, however slow the machine is.
      '--test-timeout=7200000',
      `--test-concurrency=${concurrency}`,
      ...entries,
    ],
    { stdio: 'inherit', detached: true },
  )
  running = runner
  // So that a test that hangs has a name.
  const progress = setInterval(() => {
    for (const line of runningTests(entriesFolder)) console.log(`still running: ${line}`)
  }, 60_000)
  const code = await new Promise<number | null>((done) => runner.on('exit', done))
  clearInterval(progress)
  endGroup(runner.pid!)
  const text = existsSync(totalsFile) ? readFileSync(totalsFile, 'utf8') : ''
  rmSync(totalsFile, { force: true })
  return text === '' ? undefined : { ...(JSON.parse(text) as Totals), isGood: code === 0 }
}

// Tests wait twice as long as they compute. In the long run those that measure time come last, one at a time.
const sideBySide = Math.min(8, 3 * cpus().length)
const alone = withLong ? files.filter(isTimed) : []
const together = files.filter((file) => !alone.includes(file))
const outcomes = [await runEntries(groupTestFiles(together).map(entryOf), sideBySide)]
if (alone.length > 0) outcomes.push(await runEntries(groupTestFiles(alone).map(entryOf), 1))

const isRouted = !cluster || isStopped || (await checkRouting(postgres.url))
await pooler?.stop()
await postgres.stop()
removeTemplates?.()
rmSync(entriesFolder, { recursive: true })
const left = readdirSync(scratch)
if (left.length > 0) console.error(`Left in the temporary folder by a test: ${left.join(', ')}`)
rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

const durations = outcomes.flatMap((outcome) => Object.entries(outcome?.durationsMs ?? {}))
const slowest = durations.sort(([, a], [, b]) => b - a).slice(0, 10)
console.log('The slowest files:')
for (const [file, ms] of slowest) console.log(`${`${(ms / 1_000).toFixed(1)} s`.padStart(9)}  ${file}`)

const failures = outcomes.flatMap((outcome) => outcome?.failures ?? [])
const total = (name: 'passed' | 'skipped'): number => outcomes.reduce((sum, outcome) => sum + (outcome?.[name] ?? 0), 0)
const isGood = isRouted && outcomes.every((outcome) => outcome?.isGood)
for (const failure of failures) console.log(`failed: ${failure}`)
if (outcomes.includes(undefined)) console.log('The run did not come to its end.')
const seconds = Math.round((performance.now() - startedAtMs) / 1_000)
const took = `${Math.floor(seconds / 60)} min ${seconds % 60} s`
console.log(`${isGood ? 'PASSED' : 'FAILED'} in ${took}, ${files.length} files`)
console.log(`${total('passed')} passed, ${failures.length} failed, ${total('skipped')} skipped`)
process.exit(isGood ? 0 : 1)
