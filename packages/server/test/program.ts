import { type ChildProcess, spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { TestStore } from './engines.js'

const program = fileURLToPath(new URL('../../bin/worklore.js', import.meta.url))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

type Environment = Record<string, string>

/** The environment that names a store, and nothing of the one the tests run in. */
export const environmentOf = (store: TestStore): Environment => ({
  WORKLORE_DATA: store.dataDir,
  ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
})

const start = (words: string[], environment: Environment): { child: ChildProcess; outcome: Outcome } => {
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH ?? '', WORKLORE_EMBEDDINGS: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outcome: Outcome = { code: null, stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    outcome.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    outcome.stderr += chunk
  })
  return { child, outcome }
}

const ended = (child: ChildProcess, outcome: Outcome): Promise<Outcome> =>
  new Promise((resolve) => child.once('close', (code) => resolve(Object.assign(outcome, { code }))))

/** Runs a command to its end, as an operator would. */
export const runProgram = (words: string[], environment: Environment = {}): Promise<Outcome> => {
  const { child, outcome } = start(words, environment)
  return ended(child, outcome)
}

export interface Serving {
  baseUrl: string
  /** What it has said so far. */
  outcome: Outcome
  signal(name: NodeJS.Signals): void
  ended: Promise<Outcome>
}

/** Starts the service as a process of its own, which ends with the test at the latest, and waits until it listens. */
export const serveProgram = (test: TestContext, environment: Environment): Promise<Serving> => {
  const { child, outcome } = start(['serve'], { PORT: '0', ...environment })
  test.after(() => child.kill('SIGKILL'))
  const end = ended(child, outcome)
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const baseUrl = /listens on (http:\S+)/.exec(outcome.stdout)?.[1]
      if (baseUrl) resolve({ baseUrl, outcome, signal: (name) => child.kill(name), ended: end })
    })
    end.then(() => reject(new Error(`the service did not start: ${outcome.stdout}${outcome.stderr}`)))
  })
}
