import type { Bench } from '../bench.js'
import { type Growth, growthOf, type Step } from '../growth.js'
import { type Measured, measure, type Pace, type Stage } from '../measure.js'
import type { EngineName } from '../options.js'
import { memoryAfterLoad, untilIdle } from '../process-usage.js'
import { call } from '../requests.js'
import { startService } from '../service-process.js'
import { type BenchStore, createStore } from '../store.js'
import { batchOperation, createOperation, workOperations } from './operations.js'
import { createWorkProject, loadWork } from './tasks.js'

const environment = { WORKLORE_EMBEDDINGS: 'off' }

const start = (store: BenchStore) => startService({ ...store, environment })

/** A batch as a multiple of one of its creates. */
interface BatchRatios {
  /** Under the load of all connections. */
  cpu: number
  /** For a caller who is alone: under full load a request waits for the CPU of all others. */
  latency: number
}

const batchRatiosOf = async (
  stage: Stage,
  results: readonly Measured[],
  pace: Pace,
): Promise<BatchRatios | undefined> => {
  const [one, batch] = [createOperation, batchOperation].map((name) =>
    results.find(({ operation }) => operation === name),
  )
  if (!one || !batch) return undefined
  const latencyOf = async (name: string): Promise<number> => {
    const operation = workOperations.find((each) => each.name === name)!
    return (await measure(stage, operation, { ...pace, connections: 1 })).service.p50Ms
  }
  return {
    cpu: batch.service.cpuMicroseconds / one.service.cpuMicroseconds,
    latency: (await latencyOf(batchOperation)) / (await latencyOf(createOperation)),
  }
}

interface WorkRun {
  growth: Growth
  /** Among the most tasks; undefined where not both were measured. */
  batch: BatchRatios | undefined
}

/** What agents do all day, on one store of tasks that grows from step to step. */
export const runWork = async (bench: Bench, engine: EngineName, sizes: readonly number[]): Promise<WorkRun> => {
  const { progress, load, bare, options } = bench
  const operations = workOperations.filter(({ name }) => !options.only || name.includes(options.only))
  const store = await createStore(engine)
  const steps: Step[] = []
  let batch: BatchRatios | undefined
  let filled = 0
  try {
    const first = await start(store)
    await createWorkProject(first.port)
    await first.stop()
    for (const records of sizes) {
      const where = `${engine}, work among ${records} tasks`
      await loadWork(store, filled, records, (done) => progress.say(`${where}, filling: ${done}`))
      filled = records
      const startedAt = performance.now()
      const service = await start(store)
      try {
        await call(service.port, 'GET', '/v1/tasks/WORK-1')
        const startSeconds = (performance.now() - startedAt) / 1_000
        await untilIdle(service.pid)
        const world = { port: service.port, records, userIds: [], cursors: [], hasSearch: false }
        const stage = { service, bare, load, world, ...(store.cpu && { storeCpu: store.cpu }) }
        const results: Measured[] = []
        for (const operation of operations) {
          progress.say(`${where}, ${operation.name}`)
          results.push(await measure(stage, operation, options))
        }
        steps.push({ records, startSeconds, memory: await memoryAfterLoad(service.pid), results })
        if (records === sizes.at(-1)) {
          progress.say(`${where}, one caller alone`)
          batch = await batchRatiosOf(stage, results, options)
        }
      } finally {
        await service.stop()
      }
    }
    return { growth: growthOf(steps, workOperations), batch }
  } finally {
    await store.remove()
  }
}
