import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startLoadProcess } from './load-process.js'
import { median, runRound } from './measure.js'
import { engineNames } from './options.js'
import { getRequest } from './requests.js'
import { adminKey } from './service-process.js'
import { createStore } from './store.js'

/** What limiting costs: CPU for each request of the same service with its limiter, and with one that does nothing. */
const rounds = 9
const roundMs = 1_500
const connections = 32

interface Subject {
  child: ChildProcess
  port: number
  cpuMicroseconds: number[]
}

const start = async (store: { dataDir: string; databaseUrl: string | undefined }, mode: string): Promise<Subject> => {
  const child = fork(fileURLToPath(new URL('limits-service.js', import.meta.url)), [mode], {
    env: {
      PATH: process.env.PATH,
      WORKLORE_DATA: store.dataDir,
      ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
      WORKLORE_PLAN: 'self-hosted',
      WORKLORE_ADMIN_KEY: adminKey,
      WORKLORE_EMBEDDINGS: 'off',
    },
  })
  const [port] = (await once(child, 'message')) as [number]
  return { child, port, cpuMicroseconds: [] }
}

const load = startLoadProcess()
const requests = [getRequest('/v1/projects')]

const round = async ({ child, port, cpuMicroseconds: figures }: Subject): Promise<void> => {
  const { report, cpu } = await runRound(
    load,
    { pid: child.pid!, port },
    { requests, connections, durationMs: roundMs },
  )
  figures.push(cpu / report.requests)
}

for (const engine of engineNames) {
  const store = await createStore(engine)
  const subjects = [await start(store, 'with'), await start(store, 'without')] as const
  for (let count = 0; count <= rounds; count++) for (const subject of subjects) await round(subject)
  const [limited, unlimited] = subjects.map(({ cpuMicroseconds: figures }) => median(figures.slice(1)))
  console.log(
    `${engine}: ${limited!.toFixed(1)} µs of CPU a request with limits, ${unlimited!.toFixed(1)} without: ${(limited! - unlimited!).toFixed(1)} µs for limiting`,
  )
  for (const { child } of subjects) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await store.remove()
}
load.stop()
