import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCitusBuild, nodesVariable, startCluster } from './citus.js'
import { type Cost, loading, noCost } from './costs.js'
import { prepareTemplates } from './engines.js'
import { noteStatements, noteTimes, readLastStatements, readLastTimes } from './last-run.js'
import { shortRunVariable, timedRunVariable } from './long-run.js'
import { findPgbouncer, poolerVariable, startPgbouncer } from './pooler.js'
import { runInPools } from './pools.js'
import { startPostgres } from './postgres-server.js'
import { descendantsTimeMs, treeTimeMs } from './process-times.js'
import { checkRouting } from './routing.js'
import { printCosts, timesByFile } from './run-report.js'
import { runningTests } from './running-tests.js'
import { uncoveredStatements } from './statement-cover.js'
import { chooseTestFiles, isTimed, listedName, type RunKind } from './test-files.js'
import { groupTestFiles } from './test-groups.js'
import { startTestProcess, type TestOutcome, type TestProcess } from './test-process.js'

/**
 * Runs the test files, or those whose path contains one of the given words, against one PostgreSQL server. At the end, the
 * run removes processes and temporary files that tests left behind. Options:
 *
 * - `--all`, `--rest`, `--timed`: another kind of run than `npm test`, see `RunKind`.
 * - `--citus`: runs on a Citus cluster only, and checks that each statement goes to one shard.
 * - `--pooler`: runs on PostgreSQL only, through pgbouncer.
 * - `--bundle`: builds the bundles while the first tests run.
 * - `--minutes=N`: starts no tests after N minutes, and lists the files that were left out.
 */
const startedAtMs = performance.now()
// tools/test.js compiles the packages in this process before it imports this file.
const compilingMs = descendantsTimeMs()

const packages = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const root = join(packages, '..')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const otherKinds: readonly RunKind[] = ['all', 'rest', 'timed', 'citus', 'pooler']
const kind = otherKinds.find((each) => process.argv.includes(`--${each}`)) ?? 'short'
const citusBuild = kind === 'citus' ? findCitusBuild() : undefined
if (kind === 'citus' && !citusBuild) {
  console.log('Skipped: CITUS does not name a PostgreSQL with Citus.')
  process.exit(0)
}
const pgbouncer = kind === 'pooler' ? findPgbouncer() : undefined
if (kind === 'pooler' && !pgbouncer) {
  console.log('Skipped: pgbouncer is not installed, and PGBOUNCER does not name it.')
  process.exit(0)
}

const files = chooseTestFiles(packages, { words, kind })
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
if (kind === 'short' && words.length === 0) process.env[shortRunVariable] = 'true'
if (kind === 'timed') process.env[timedRunVariable] = 'true'

/** No tests are started after this many minutes. */
const maxMinutes = Number(
  process.argv.find((word) => word.startsWith('--minutes='))?.slice('--minutes='.length) ?? Infinity,
)

const sampleEveryMs = 50

/** Builds the bundles, and adds the time that this takes to `cost`. */
const bundle = async (cost: Cost): Promise<void> => {
  const beganAtMs = performance.now()
  const builder = spawn(process.execPath, [join(root, 'tools/bundle.js')], { cwd: root, stdio: 'inherit' })
  let childrenMs = 0
  const sampling = setInterval(() => {
    childrenMs = Math.max(childrenMs, treeTimeMs(builder.pid!))
  }, sampleEveryMs)
  const code = await new Promise((done) => builder.on('exit', done))
  clearInterval(sampling)
  if (code !== 0) throw new Error('The bundles could not be built.')
  cost.childrenMs += childrenMs
  cost.wallMs += performance.now() - beganAtMs
}

const buildCost: Cost = { wallMs: startedAtMs, ownMs: 0, childrenMs: compilingMs }
const bundles = process.argv.includes('--bundle') ? bundle(buildCost) : Promise.resolve()

// No test is about a crash of this server: those that are start one of their own.
const cluster = citusBuild && (await startCluster(citusBuild))
if (cluster) process.env[nodesVariable] = cluster.urls.join(' ')
const server = cluster ? undefined : await startPostgres({ isDurable: false })
const postgres = (cluster ?? server)!
process.env.WORKLORE_TEST_POSTGRES = postgres.url
const removeTemplates = cluster ? undefined : await prepareTemplates()
const pooler = pgbouncer ? await startPgbouncer(pgbouncer, Number(new URL(postgres.url).port)) : undefined
if (pooler) process.env[poolerVariable] = pooler.port

const entriesFolder = mkdtempSync(join(scratch, 'entries-'))
const processes = new Set<TestProcess>()
let isStopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    for (const each of processes) each.kill()
  })
}

const lastMs = readLastTimes()
const outcomes: TestOutcome[] = []
const notBegun: string[] = []
const tasks = groupTestFiles(files, (file) => lastMs(`packages/${listedName(packages, file)}`)).map((group, at) => ({
  ...group,
  run: async (): Promise<void> => {
    if (isStopped) return
    if (performance.now() > maxMinutes * 60_000) {
      notBegun.push(...group.files)
      return
    }
    const running = startTestProcess(entriesFolder, group, at)
    processes.add(running)
    outcomes.push(await running.outcome)
    processes.delete(running)
  },
}))

// Shows which test hangs.
const progress = setInterval(() => {
  for (const line of runningTests(entriesFolder)) console.log(`still running: ${line}`)
}, 60_000)
const processors = availableParallelism()
if (kind === 'timed') {
  // Tests run one at a time, because others would use the processors while a time is measured.
  for (const task of tasks) await task.run()
} else await runInPools(tasks, { computingWidth: processors, waitingWidth: 3 * processors, bundles })
clearInterval(progress)

const statements = [...new Set(outcomes.flatMap((outcome) => Object.values(outcome.statements).flat()))]
const isRouted = !cluster || isStopped || (await checkRouting(postgres.url, statements))
const serverMs = server ? treeTimeMs(server.pid()) : 0
await pooler?.stop()
await postgres.stop()
removeTemplates?.()
rmSync(entriesFolder, { recursive: true })
const left = readdirSync(scratch)
if (left.length > 0) console.error(`Left in the temporary folder by a test: ${left.join(', ')}`)
rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

/** Stores which file ran which statement on PostgreSQL. Returns a message for each one that `npm test` does not run there. */
const checkStatementCover = (): string[] => {
  const isWhole = words.length === 0 && !isStopped
  if (!isWhole || (kind !== 'short' && kind !== 'all' && kind !== 'rest')) return []
  const statementsOf: Record<string, string[]> = kind === 'rest' ? readLastStatements() : {}
  for (const [file, texts] of outcomes.flatMap((outcome) => Object.entries(outcome.statements))) {
    if (isTimed(file)) continue
    statementsOf[file] = [...new Set([...(statementsOf[file] ?? []), ...texts])]
  }
  noteStatements(statementsOf)
  if (kind === 'short') return []
  const chosen = new Set(
    chooseTestFiles(packages, { words: [], kind: 'short' })
      .filter(({ engines }) => engines.includes('postgres'))
      .map(({ path }) => listedName(packages, path)),
  )
  const missing = uncoveredStatements(
    statementsOf,
    (file) => file === loading || chosen.has(file.slice('packages/'.length)),
  )
  return missing.map(
    ({ text, file }) => `npm test does not run this statement on PostgreSQL (npm run test:choose): ${file}: ${text}`,
  )
}

const costs = outcomes.flatMap((outcome) => outcome.costs)
noteTimes(timesByFile(costs))
printCosts(costs, [
  ['build', buildCost],
  ['PostgreSQL server', { ...noCost(), childrenMs: serverMs }],
])

const uncovered = checkStatementCover()
// Not a failure here: the stored statements of `npm test` may be older than the last change.
if (kind === 'rest') for (const statement of uncovered) console.log(statement)
const failures = [...outcomes.flatMap((outcome) => outcome.failures), ...(kind === 'all' ? uncovered : [])]
const total = (name: 'passed' | 'skipped'): number => outcomes.reduce((sum, outcome) => sum + outcome[name], 0)
const isGood = !isStopped && isRouted && failures.length === 0 && outcomes.every((outcome) => outcome.isGood)
for (const failure of failures) console.log(`failed: ${failure}`)
for (const file of notBegun) console.log(`not begun within ${maxMinutes} minutes: ${relative(root, file)}`)
if (isStopped) console.log('The run did not come to its end.')
const seconds = Math.round(performance.now() / 1_000)
const took = `${Math.floor(seconds / 60)} min ${seconds % 60} s`
console.log(`${isGood ? 'PASSED' : 'FAILED'} in ${took}, ${files.length} files`)
console.log(`${total('passed')} passed, ${failures.length} failed, ${total('skipped') + notBegun.length} skipped`)
process.exit(isGood ? 0 : 1)
