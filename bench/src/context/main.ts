import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { machineLine } from '../machine.js'
import { engineNames } from '../options.js'
import { familyCpuMicroseconds, untilIdle } from '../process-usage.js'
import { createProgress } from '../progress.js'
import { taskIdAt, taskInput } from '../records.js'
import { call } from '../requests.js'
import { percentile } from '../search/measures.js'
import { type ServerProcess, startService } from '../service-process.js'
import { type BenchStore, createStore } from '../store.js'
import { table } from '../table.js'
import { prepareUsers } from '../world.js'
import { addFreeTasks, addWaitingTasks, fillItems, fillTasks, holdResources, resourceProject } from './fill.js'

/** Compares a context with a search, and measures what reserved resources cost `next`: `npm run bench context`. */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'both' },
    items: { type: 'string', default: '100000' },
    tasks: { type: 'string', default: '10000' },
    resources: { type: 'string', default: '10000' },
  },
})
const engines = engineNames.filter((name) => values.engine === 'both' || values.engine === name)
const [items, tasks, resources] = [values.items, values.tasks, values.resources].map(Number) as [number, number, number]
const progress = createProgress()
const environment = { WORKLORE_EMBEDDINGS: 'off' }

const withService = async <T>(store: BenchStore, use: (service: ServerProcess) => Promise<T>): Promise<T> => {
  const service = await startService({ ...store, environment })
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}

const warmUps = 100
const calls = 500

interface Figures {
  p50: number
  p99: number
  /** Of the service and of the database server, in milliseconds a call. */
  cpu: number
  storeCpu: number | undefined
}

type Ask = (at: number) => Promise<{ status: number; text: string }>

const measure = async (service: ServerProcess, store: BenchStore, ask: Ask): Promise<Figures> => {
  const checked = async (at: number) => {
    const { status, text } = await ask(at)
    if (status >= 300) throw new Error(`${status} ${text.slice(0, 300)}`)
  }
  for (let at = 0; at < warmUps; at++) await checked(calls + at)
  const latencies: number[] = []
  const cpu = familyCpuMicroseconds(service.pid)
  const storeCpu = store.cpu?.()
  for (let at = 0; at < calls; at++) {
    const startedAt = performance.now()
    await checked(at)
    latencies.push(performance.now() - startedAt)
  }
  const perCall = (microseconds: number) => microseconds / 1_000 / calls
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: perCall(familyCpuMicroseconds(service.pid) - cpu),
    storeCpu: storeCpu === undefined ? undefined : perCall(store.cpu!() - storeCpu),
  }
}

const untilSearchable = async (port: number): Promise<void> => {
  while ((await call(port, 'GET', '/v1/search?q=login')).status === 503) await sleep(1_000)
}

/** What a context searches for. */
const wordsOf = (at: number): string => {
  const { title, labels, description } = taskInput(at, [''])
  return [title, labels.join(' '), description].join('\n').slice(0, 500)
}

const measureContexts = async (store: BenchStore, userIds: readonly string[], say: (text: string) => void) => {
  await fillTasks(store, tasks, userIds, (done) => say(`${done} tasks`))
  await fillItems(store, items, (done) => say(`${done} items`))
  return withService(store, async (service): Promise<[string, Figures][]> => {
    const { port } = service
    await untilSearchable(port)
    await untilIdle(service.pid)
    const taskOf = (at: number) => (at * 7) % tasks
    const search = (at: number) => {
      const words = encodeURIComponent(wordsOf(taskOf(at)))
      return call(port, 'GET', `/v1/knowledge/search?limit=20&passages=2&fields=key&q=${words}`)
    }
    const context = (tokens: number) => (at: number) =>
      call(port, 'GET', `/v1/tasks/${taskIdAt(taskOf(at))}/context?budgetTokens=${tokens}`)
    say('contexts')
    return [
      ['search of the same words, 20 hits with passages', await measure(service, store, search)],
      ['context, 1,500 tokens', await measure(service, store, context(1_500))],
      ['context, 500 tokens', await measure(service, store, context(500))],
    ]
  })
}

const nextAndRelease =
  (port: number): Ask =>
  async () => {
    const { body } = await call(port, 'POST', '/v1/tasks/next', { projectId: resourceProject })
    const { id, claim } = body.data
    return call(port, 'POST', `/v1/tasks/${id}/release`, undefined, { 'worklore-claim': claim.token })
  }

const measureResources = async (store: BenchStore, say: (text: string) => void) => {
  const rows: [string, Figures][] = []
  const step = async (name: string) => {
    say(name)
    rows.push([name, await withService(store, (service) => measure(service, store, nextAndRelease(service.port)))])
  }
  await addFreeTasks(store, 2_000, (done) => say(`${done} free tasks`))
  await step('next and release')
  await holdResources(store, resources, (done) => say(`${done * 10} resources`))
  await step(`among ${resources} reserved resources`)
  await addWaitingTasks(store, resources, (done) => say(`${done} waiting tasks`))
  await step(`and ${resources} ready tasks that want one of them`)
  return rows
}

const short = (value: number | undefined): string => value?.toFixed(2) ?? '–'

for (const engine of engines) {
  const store = await createStore(engine)
  const say = (text: string) => progress.say(`${engine}: ${text}`)
  try {
    const userIds = await withService(store, async ({ port }) => {
      await call(port, 'POST', '/v1/projects', { key: resourceProject, name: 'Resources', maxAttempts: 100 })
      return prepareUsers(port)
    })
    const rows = [...(await measureResources(store, say)), ...(await measureContexts(store, userIds, say))]
    progress.end()
    const head = ['one caller, milliseconds', 'p50', 'p99', 'CPU', 'CPU of the database']
    const cells = rows.map(([name, { p50, p99, cpu, storeCpu }]) => [name, ...[p50, p99, cpu, storeCpu].map(short)])
    console.log(`\n${engine}, ${items} items and ${tasks} tasks\n\n${table(head, cells)}\n`)
  } finally {
    await store.remove()
  }
}
console.log(`on ${machineLine}`)
