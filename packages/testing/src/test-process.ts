import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clientEnginesVariable, testEnginesVariable } from './engines.js'
import { longRunVariable } from './long-run.js'
import type { TestGroup } from './test-groups.js'
import type { Totals } from './totals-reporter.js'

/** A process that takes longer than this is killed, because it hangs even on a slow machine. */
const maxProcessMs = 7_200_000

/**
 * Most code of a test runs too rarely to be worth optimizing. With this option, API suites take up to a fifth less time.
 * Node 22 refuses it.
 */
const optimizeRarely = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []

const moduleUrl = (name: string): string => new URL(name, import.meta.url).href

/** Writes a program that loads the files of a group, and returns its path. */
const writeEntry = (folder: string, { files }: TestGroup, at: number): string => {
  const name = `${String(at).padStart(3, '0')}-${basename(files[0]!, '.test.js')}`
  const loaded = join(folder, `${name}.files.mjs`)
  const imports = [
    moduleUrl('note-running-test.js'),
    moduleUrl('test-costs.js'),
    ...files.map((file) => pathToFileURL(file).href),
  ]
  writeFileSync(loaded, imports.map((url) => `import '${url}'\n`).join(''))
  const entry = join(folder, `${name}.test.mjs`)
  writeFileSync(
    entry,
    `import { dropHooks } from '${moduleUrl('hook-until-loaded.js')}'\n` +
      `await import('${pathToFileURL(loaded)}')\n` +
      `const { endLoading } = await import('${moduleUrl('test-costs.js')}')\n` +
      'endLoading()\ndropHooks()\n',
  )
  return entry
}

/** Matches the totals that the spec reporter prints for each process. The run prints its own totals. */
const printedTotals = /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm

export interface TestOutcome extends Totals {
  isGood: boolean
}

export interface TestProcess {
  outcome: Promise<TestOutcome>
  /** Kills the process and everything that it has started. */
  kill(): void
}

/** Runs the files of a group one after the other in a new process, and prints their results at the end. */
export const startTestProcess = (folder: string, group: TestGroup, at: number): TestProcess => {
  const entry = writeEntry(folder, group, at)
  const totalsFile = `${entry}.totals.json`
  const child = spawn(
    process.execPath,
    [
      '--enable-source-maps',
      ...(group.loadsConsole ? ['--import', moduleUrl('resolve-without-extension.js')] : []),
      ...optimizeRarely,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${moduleUrl('totals-reporter.js')}`,
      `--test-reporter-destination=${totalsFile}`,
      entry,
    ],
    {
      // A process group of its own, so that `kill` also ends its children.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        [testEnginesVariable]: group.engines.join(' '),
        [clientEnginesVariable]: String(group.isWithClients),
        [longRunVariable]: String(group.isLong),
      },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // All processes of the group have already ended.
    }
  }
  const timeout = setTimeout(kill, maxProcessMs)
  const exited = new Promise<string>((done) => child.once('exit', (code, signal) => done(`${code ?? signal}`)))
  const closed = new Promise((done) => child.once('close', done))
  const outcome = exited.then(async (code): Promise<TestOutcome> => {
    clearTimeout(timeout)
    kill()
    await closed
    process.stdout.write(output.replaceAll(printedTotals, ''))
    const text = existsSync(totalsFile) ? readFileSync(totalsFile, 'utf8') : ''
    rmSync(totalsFile, { force: true })
    if (text !== '') return { ...(JSON.parse(text) as Totals), isGood: code === '0' }
    const failure = `${basename(entry)}: ended with ${code} before its tests did`
    return { passed: 0, skipped: 0, failures: [failure], costs: [], statements: {}, isGood: false }
  })
  return { outcome, kill }
}
