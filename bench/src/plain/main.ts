import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startLoadProcess } from '../load-process.js'
import { machine, machineLine } from '../machine.js'
import { type LoadedServer, median, runRound, warmUpRounds } from '../measure.js'
import { untilIdle } from '../process-usage.js'
import { createProgress } from '../progress.js'
import { call, coldRequest, getRequest, jsonRequest } from '../requests.js'
import { startService } from '../service-process.js'
import { createStore } from '../store.js'
import { table } from '../table.js'
import { createRandom } from '../texts.js'
import { commonWord, itemAt, itemKeyAt, middlingWord, projects, statuses, taskAt } from './records.js'

/** This service and a plain program with FTS5, with the same records and the same requests, in alternating rounds. */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    'round-ms': { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: 'plain' },
  },
})
const records = Number(values.records)
const rounds = Number(values.rounds)
const roundMs = Number(values['round-ms'])
const connections = 32
const requestsPerRound = 4_000
const progress = createProgress()

const anyOf = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)]!
const anyAt = (random: () => number): number => Math.floor(random() * records)
const taskIdOf = (random: () => number): string =>
  `${anyOf(random, projects)}-${1 + Math.floor((random() * records) / projects.length)}`

const operations: Record<string, (random: () => number, at: number) => string> = {
  'get a task': (random) => getRequest(`/v1/tasks/${taskIdOf(random)}`),
  'list 50 tasks': (random) =>
    coldRequest(`/v1/tasks?projectId=${anyOf(random, projects)}&status=${anyOf(random, statuses)}&limit=50`),
  'search tasks, a middling word': (random) => coldRequest(`/v1/tasks/search?q=${middlingWord(random)}&limit=20`),
  'search tasks, a middling word, again': (random) => getRequest(`/v1/tasks/search?q=${middlingWord(random)}&limit=20`),
  'search tasks, a common word': (random) => coldRequest(`/v1/tasks/search?q=${commonWord(random)}&limit=20`),
  'get an item': (random) => getRequest(`/v1/knowledge/${itemKeyAt(anyAt(random))}`),
  'search knowledge, a middling word': (random) =>
    coldRequest(`/v1/knowledge/search?q=${middlingWord(random)}&limit=20`),
  'search knowledge, a middling word, again': (random) =>
    getRequest(`/v1/knowledge/search?q=${middlingWord(random)}&limit=20`),
  'search knowledge, a common word': (random) => coldRequest(`/v1/knowledge/search?q=${commonWord(random)}&limit=20`),
  'create a task': (_random, at) => jsonRequest('POST', '/v1/tasks', taskAt(records + at)),
  'put an item': (random, at) => jsonRequest('PUT', `/v1/knowledge/${itemKeyAt(anyAt(random))}`, itemAt(records + at)),
}

const store = await createStore('sqlite')
const load = startLoadProcess()
const child = fork(fileURLToPath(new URL('server.js', import.meta.url)), [store.dataDir])
const [{ port }] = (await once(child, 'message')) as [{ port: number }]
const plain: LoadedServer = { pid: child.pid!, port }
const service = await startService({ ...store, environment: { WORKLORE_EMBEDDINGS: 'off' } })
const servers = { service, plain }

const fill = async (server: LoadedServer): Promise<void> => {
  const perOrder = 2_000
  for (let from = 0; from < records; from += perOrder) {
    const places = Array.from({ length: Math.min(perOrder, records - from) }, (_, at) => from + at)
    const tasks = places.map((at) => jsonRequest('POST', '/v1/tasks', taskAt(at)))
    const items = places.map((at) => jsonRequest('PUT', `/v1/knowledge/${itemKeyAt(at)}`, itemAt(at)))
    for (const requests of [tasks, items]) {
      const report = await load.run({ port: server.port, requests, connections, durationMs: undefined })
      if (report.failures > 0) throw new Error(`filling failed: ${report.firstFailure}`)
    }
    progress.say(`filling: ${from + places.length} of ${records}`)
  }
}

try {
  for (const key of projects) await call(service.port, 'POST', '/v1/projects', { key, name: key })
  for (const server of Object.values(servers)) await fill(server)
  await call(service.port, 'GET', `/v1/tasks/search?q=${commonWord(() => 0)}`)
  await untilIdle(service.pid)

  const rows: { operation: string; service: number; plain: number; ratio: number }[] = []
  for (const [operation, request] of Object.entries(operations).filter(([name]) => name.includes(values.only))) {
    progress.say(operation)
    const random = createRandom(7)
    const requests = Array.from({ length: requestsPerRound }, (_, at) => request(random, at))
    const costOf = async (server: LoadedServer): Promise<number> => {
      const { report, cpu } = await runRound(load, server, { requests, connections, durationMs: roundMs })
      return cpu / report.requests
    }
    const costs: { service: number; plain: number }[] = []
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      const cost = { service: await costOf(service), plain: await costOf(plain) }
      if (round >= warmUpRounds) costs.push(cost)
    }
    rows.push({
      operation,
      service: median(costs.map((cost) => cost.service)),
      plain: median(costs.map((cost) => cost.plain)),
      ratio: median(costs.map((cost) => cost.service / cost.plain)),
    })
    await untilIdle(service.pid)
  }
  progress.end()
  const head = ['CPU µs per request', 'Worklore', 'plain program with FTS5', 'ratio']
  const cells = rows.map(({ operation, service, plain, ratio }) => [
    operation,
    Math.round(service).toLocaleString('en'),
    Math.round(plain).toLocaleString('en'),
    ratio.toFixed(2),
  ])
  console.log(`\n${table(head, cells)}\n\non ${machineLine}`)
  const folder = fileURLToPath(new URL('../../results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${values.output}.json`), `${JSON.stringify({ machine, records, rows }, null, 2)}\n`)
} finally {
  load.stop()
  child.kill()
  await service.stop()
  await store.remove()
}
