import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { StoreSettings } from 'worklore/dist/src/db/open.js'
import { type User, unprivilegedUser } from './unprivileged.js'

/** What an operator starts. */
export const program = fileURLToPath(new URL('../../../server/bin/worklore.js', import.meta.url))

/** The same of another checkout. */
export const programIn = (checkout: string): string => join(checkout, 'packages/server/bin/worklore.js')

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export const testSecretKey = Buffer.alloc(32, 7).toString('base64')

type Environment = Record<string, string>

/** The environment that names a store, and nothing of the one the tests run in. */
export const environmentOf = (store: StoreSettings): Environment => ({
  WORKLORE_DATA: store.dataDir,
  WORKLORE_SECRET_KEY: testSecretKey,
  ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
  ...(store.listenUrl && { WORKLORE_LISTEN_URL: store.listenUrl }),
})

export const startProgram = (words: string[], environment: Environment, user: User = {}, path = program) => {
  const child = spawn(process.execPath, [path, ...words], {
    env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), WORKLORE_EMBEDDINGS: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  const outcome: Outcome = { code: null, stdout: '', stderr: '' }
  const ended = new Promise<Outcome>((resolve) =>
    child.once('close', (code) => resolve(Object.assign(outcome, { code }))),
  )
  const baseUrl = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      outcome.stdout += chunk
      const address = /listening on (http:\S+)/.exec(outcome.stdout)?.[1]
      if (address) resolve(address)
    })
    child.stderr.on('data', (chunk) => {
      outcome.stderr += chunk
    })
    ended.then(() => reject(new Error(`the service did not start: ${outcome.stdout}${outcome.stderr}`)))
  })
  // A command that is no server never listens, and nobody waits for it to.
  baseUrl.catch(() => {})
  return { child, outcome, ended, baseUrl }
}

const maxStarts = 10

/** The service, once it listens. A busy database may not answer in time; then it is started again, as a supervisor does. */
export const startServing = async (environment: Environment, path?: string) => {
  for (let starts = 1; ; starts++) {
    const running = startProgram(['serve'], environment, {}, path)
    try {
      return { ...running, baseUrl: await running.baseUrl }
    } catch (error) {
      const isBusy = /The database (?:does not respond|cannot be reached)/.test(String(error))
      if (!isBusy || starts === maxStarts) throw error
    }
  }
}

/** Runs a command to its end, as an operator would. */
export const runProgram = (words: string[], environment: Environment = {}, user: User = {}): Promise<Outcome> =>
  startProgram(words, environment, user).ended

/** Whether modes of files count for a user who can reach the program; below a private home only its owner can. */
export const canRunUnprivileged = (): boolean =>
  process.getuid !== undefined &&
  spawnSync(process.execPath, [program, '--version'], { ...unprivilegedUser() }).status === 0

/** Runs a command that must succeed, and answers what it printed. */
export const runCommand = async (store: StoreSettings, ...words: string[]): Promise<string> => {
  const outcome = await runProgram(words, environmentOf(store))
  assert.equal(outcome.code, 0, outcome.stderr)
  return outcome.stdout
}

export interface Serving {
  baseUrl: string
  /** What it has said so far. */
  outcome: Outcome
  signal(name: NodeJS.Signals): void
  ended: Promise<Outcome>
}

/** Starts the service as a process of its own, which ends with the test at the latest, and waits until it listens. */
export const serveProgram = async (test: TestContext, environment: Environment): Promise<Serving> => {
  const { child, outcome, ended, baseUrl } = startProgram(['serve'], { PORT: '0', ...environment })
  test.after(() => child.kill('SIGKILL'))
  return { baseUrl: await baseUrl, outcome, signal: (name) => child.kill(name), ended }
}
