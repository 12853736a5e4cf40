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
import { anyWord, commonWord, itemAt, itemKeyAt, middlingWord, projects, statuses, taskAt } from './records.js'

/**
 * This service and a plain program, with the same records and the same requests, in alternating rounds. On PostgreSQL it is
 * the CPU of the database server that is compared.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    records: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    'round-ms': { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: 'plain' },
  },
})
const engine = values.engine === 'postgres' ? 'postgres' : 'sqlite'
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

const listPath = (random: () => number): string =>
  `/v1/tasks?projectId=${anyOf(random, projects)}&status=${anyOf(random, statuses)}&limit=50`
const searchPath = (kind: 'tasks' | 'knowledge', ...words: readonly string[]): string =>
  `/v1/${kind}/search?q=${words.join('+')}&limit=20`
/** Two or three words of all frequencies. */
const severalWords = (random: () => number): string[] =>
  Array.from({ length: random() < 0.5 ? 2 : 3 }, () => anyWord(random))

interface Operation {
  /** What the ratio should not exceed. */
  goal?: number
  request(random: () => number, at: number): string
}

const onSqlite: Record<string, Operation> = {
  'get a task': { goal: 1.2, request: (random) => getRequest(`/v1/tasks/${taskIdOf(random)}`) },
  'get an item': { goal: 1.2, request: (random) => getRequest(`/v1/knowledge/${itemKeyAt(anyAt(random))}`) },
  'list 50 tasks': { request: (random) => coldRequest(listPath(random)) },
  'list 50 tasks, again': { goal: 0.3, request: (random) => getRequest(listPath(random)) },
  'search tasks, two or three words': {
    goal: 0.8,
    request: (random) => coldRequest(searchPath('tasks', ...severalWords(random))),
  },
  'search tasks, a middling word': {
    goal: 0.8,
    request: (random) => coldRequest(searchPath('tasks', middlingWord(random))),
  },
  'search tasks, a middling word, again': {
    goal: 0.2,
    request: (random) => getRequest(searchPath('tasks', middlingWord(random))),
  },
  'search tasks, a common word': { request: (random) => coldRequest(searchPath('tasks', commonWord(random))) },
  'search knowledge, two or three words': {
    goal: 0.6,
    request: (random) => coldRequest(searchPath('knowledge', ...severalWords(random))),
  },
  'search knowledge, a middling word': {
    goal: 0.6,
    request: (random) => coldRequest(searchPath('knowledge', middlingWord(random))),
  },
  'search knowledge, a middling word, again': {
    goal: 0.1,
    request: (random) => getRequest(searchPath('knowledge', middlingWord(random))),
  },
  'search knowledge, a common word': { request: (random) => coldRequest(searchPath('knowledge', commonWord(random))) },
  'create a task': { goal: 0.7, request: (_random, at) => jsonRequest('POST', '/v1/tasks', taskAt(records + at)) },
  'put an item': {
    goal: 0.3,
    request: (random, at) => jsonRequest('PUT', `/v1/knowledge/${itemKeyAt(anyAt(random))}`, itemAt(records + at)),
  },
}

const onPostgres: Record<string, Operation> = {
  'get a task': { ...onSqlite['get a task']!, goal: 1.3 },
  'list 50 tasks': { ...onSqlite['list 50 tasks']!, goal: 1.5 },
  'create a task': { ...onSqlite['create a task']!, goal: 2 },
}
const operations = engine === 'postgres' ? onPostgres : onSqlite

/** V8 compiles some code only after thousands of requests, for which a busy machine needs more than the usual rounds. */
const warmUpRequests = 8_000
const maxWarmUpRounds = 12

const store = await createStore(engine)
const load = startLoadProcess()
const plainProgram = engine === 'postgres' ? 'postgres-server.js' : 'server.js'
const child = fork(fileURLToPath(new URL(plainProgram, import.meta.url)), [store.databaseUrl ?? store.dataDir])
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
    for (const requests of engine === 'postgres' ? [tasks] : [tasks, items]) {
      const report = await load.run({ port: server.port, requests, connections, durationMs: undefined })
      if (report.failures > 0) throw new Error(`filling failed: ${report.firstFailure}`)
    }
    progress.say(`filling: ${from + places.length} of ${records}`)
  }
}

try {
  for (const key of projects) await call(service.port, 'POST', '/v1/projects', { key, name: key })
  for (const server of Object.values(servers)) await fill(server)
  if (engine === 'sqlite') await call(service.port, 'GET', `/v1/tasks/search?q=${commonWord(() => 0)}`)
  await untilIdle(service.pid)

  const rows: { operation: string; service: number; plain: number; ratio: number; goal: number | undefined }[] = []
  for (const [operation, { request, goal }] of Object.entries(operations).filter(([name]) =>
    name.includes(values.only),
  )) {
    progress.say(operation)
    const random = createRandom(7)
    const requests = Array.from({ length: requestsPerRound }, (_, at) => request(random, at))
    const runOn = async ({ port, pid }: LoadedServer): Promise<{ count: number; cost: number }> => {
      const counted = { port, pid: store.pid ?? pid }
      const { report, cpu } = await runRound(load, counted, { requests, connections, durationMs: roundMs })
      return { count: report.requests, cost: cpu / report.requests }
    }
    let warmedUp = 0
    for (let round = 0; round < maxWarmUpRounds; round++) {
      const [ofService, ofPlain] = [await runOn(service), await runOn(plain)]
      warmedUp += Math.min(ofService.count, ofPlain.count)
      if (round + 1 >= warmUpRounds && warmedUp >= warmUpRequests) break
    }
    const costs: { service: number; plain: number }[] = []
    for (let round = 0; round < rounds; round++) {
      costs.push({ service: (await runOn(service)).cost, plain: (await runOn(plain)).cost })
    }
    rows.push({
      operation,
      service: median(costs.map((cost) => cost.service)),
      plain: median(costs.map((cost) => cost.plain)),
      ratio: median(costs.map((cost) => cost.service / cost.plain)),
      goal,
    })
    await untilIdle(service.pid)
  }
  progress.end()
  const head = [
    engine === 'postgres' ? 'CPU µs of PostgreSQL per request' : 'CPU µs per request',
    'Worklore',
    'plain program',
    'ratio',
    'goal',
  ]
  const cells = rows.map(({ operation, service, plain, ratio, goal }) => [
    operation,
    Math.round(service).toLocaleString('en'),
    Math.round(plain).toLocaleString('en'),
    ratio.toFixed(2),
    goal?.toFixed(1) ?? '',
  ])
  console.log(`\n${table(head, cells)}\n\non ${machineLine}`)
  const folder = fileURLToPath(new URL('../../results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, `${values.output}.json`),
    `${JSON.stringify({ machine, engine, records, rows }, null, 2)}\n`,
  )
} finally {
  load.stop()
  child.kill()
  await service.stop()
  await store.remove()
}
