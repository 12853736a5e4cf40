import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StoreSettings } from '../src/db/open.js'
import { testAdminKey } from './harness.js'

const program = fileURLToPath(new URL('../../bin/worklore.js', import.meta.url))

/** The service as it runs in production: a process of its own. */
export interface RealProcess {
  baseUrl: string
  pid: number
  /** What it has written to both outputs. */
  output(): string
  /** Sends a signal and waits for the end; answers the exit code, or null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

const addressIn = (child: ChildProcess, output: () => string): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const address = /listens on (\S+)/.exec(output())?.[1]
      if (address) resolve(address)
    }
    child.stdout!.on('data', look)
    child.on('exit', () => reject(new Error(`the service did not start: ${output()}`)))
  })

export const startProcess = async (
  store: StoreSettings,
  environment: Record<string, string> = {},
): Promise<RealProcess> => {
  const child = spawn(process.execPath, [program, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'error',
      WORKLORE_EMBEDDINGS: 'off',
      WORKLORE_DATA: store.dataDir,
      DATABASE_URL: store.databaseUrl ?? '',
      WORKLORE_ADMIN_KEY: testAdminKey,
      WORKLORE_PLAN: 'self-hosted',
      ...environment,
    },
  })
  let written = ''
  const output = (): string => written
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text) => {
      written = (written + text).slice(-20_000)
    })
  }
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return {
    baseUrl: await addressIn(child, output),
    pid: child.pid!,
    output,
    end: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}
