import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../server/bin/worklore.js', import.meta.url))
const startTimeoutMs = 60_000

export interface TrialService {
  baseUrl: string
  adminKey: string
  stop(): Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const isReady = (baseUrl: string): Promise<boolean> =>
  fetch(`${baseUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** The service as a program of its own, on a store of its own that goes with it. */
export const startTrialService = async (): Promise<TrialService> => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-console-'))
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  const adminKey = 'trial-admin-key-0123456789-abcdefghij'
  const running: ChildProcess = spawn(process.execPath, [program, 'serve'], {
    env: {
      ...process.env,
      PORT: new URL(baseUrl).port,
      WORKLORE_DATA: join(folder, 'data'),
      WORKLORE_PLAN: 'self-hosted',
      WORKLORE_ADMIN_KEY: adminKey,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => running.once('exit', resolve))
  for (const endsAt = Date.now() + startTimeoutMs; !(await isReady(baseUrl)); ) {
    if (Date.now() > endsAt || running.exitCode !== null) throw new Error('the service did not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    baseUrl,
    adminKey,
    stop: async () => {
      running.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
