import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { openDb } from '../../../packages/server/dist/src/db/open.js'
import { createTenant } from '../../../packages/server/dist/src/tenancy/tenants/service.js'
import { adminKey, startService } from '../service-process.js'
import { createStore } from '../store.js'
import { table } from '../table.js'
import { cases, type LoadRequest } from './cases.js'

/**
 * Measures the longest CPU time of the service's main thread between one tenant's `GET` and its response, while another
 * tenant sends the largest requests that the limits allow. The service limits this time to 50 ms.
 */
const { values } = parseArgs({
  options: {
    /** Path of another checkout to measure. It must be built. */
    of: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
  },
})
const rounds = Number(values.rounds)
const program = values.of && join(resolve(values.of), 'packages/server/bin/worklore.js')
const pauseMs = 2
/** Cases with more setup requests run only if `--only` names them. */
const maxSetup = 1_000

const store = await createStore(values.engine as 'sqlite' | 'postgres')
const service = await startService({
  ...store,
  environment: { WORKLORE_EMBEDDINGS: 'off', LOG_LEVEL: 'error' },
  program,
})
const db = await openDb({ ...store, poolSize: 1 })
const { key } = await createTenant(db, Date.now, { name: 'Beside', plan: 'self-hosted' })
await db.close()

const load = new Worker(new URL('./load.js', import.meta.url), { workerData: { port: service.port, key: adminKey } })
const send = async (requests: readonly LoadRequest[], isSetup: boolean): Promise<number[]> => {
  load.postMessage({ requests, isSetup })
  const [statuses] = (await once(load, 'message')) as [number[]]
  return statuses
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const readBeside = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key.secret}` }
    request({ host: '127.0.0.1', port: service.port, path: '/v1/projects', headers, agent }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
      .on('error', reject)
      .end()
  })

/** CPU time of the main thread so far. */
const mainThreadMs = (): number => Number(readFileSync(`/proc/${service.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

const measure = async (requests: readonly LoadRequest[]) => {
  let isEnded = false
  const startedMs = mainThreadMs()
  const running = send(requests, false).finally(() => {
    isEnded = true
  })
  const blockedMs: number[] = []
  while (!isEnded) {
    const beforeMs = mainThreadMs()
    await readBeside()
    blockedMs.push(mainThreadMs() - beforeMs)
    await sleep(pauseMs)
  }
  const statuses = await running
  return { maxMs: Math.max(...blockedMs), totalMs: mainThreadMs() - startedMs, statuses }
}

const rows: string[][] = []
for (const { name, setup, requests } of cases) {
  if (setup.length > maxSetup && (values.only === '' || !name.includes(values.only))) continue
  const refused = (await send(setup, true)).filter((status) => status >= 300)
  if (refused.length > 0) console.error(`${name}: setup got ${[...new Set(refused)].join(', ')}`)
  if (!name.includes(values.only)) continue
  await sleep(500)
  for (let at = 0; at < 20; at++) await readBeside()
  const measured = []
  for (let round = 0; round < rounds; round++) measured.push(await measure(requests))
  const maxMs = measured.map((each) => each.maxMs).sort((a, b) => a - b)
  const statuses = [...new Set(measured.flatMap((each) => each.statuses))].join(', ')
  const totalMs = Math.min(...measured.map((each) => each.totalMs))
  rows.push([name, maxMs.map((ms) => ms.toFixed(0)).join(' '), totalMs.toFixed(0), statuses])
  console.error(rows.at(-1)!.join(' | '))
}
console.log(table(['case', 'blocked (ms CPU, each round)', 'CPU of all (ms)', 'statuses'], rows))
await load.terminate()
agent.destroy()
await service.stop()
await store.remove()
