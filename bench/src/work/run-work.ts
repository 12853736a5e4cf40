import type { Bench } from '../bench.js'
import { type Growth, growthOf, type Step } from '../growth.js'
import { type Measured, measure } from '../measure.js'
import type { EngineName } from '../options.js'
import { memoryOf, untilIdle } from '../process-usage.js'
import { call } from '../requests.js'
import { startService } from '../service-process.js'
import { type BenchStore, createStore } from '../store.js'
import { batchOperation, createOperation, workOperations } from './operations.js'
import { createWorkProject, loadWork } from './tasks.js'

const environment = { WORKLORE_EMBEDDINGS: 'off' }

const start = (store: BenchStore) => startService({ ...store, environment })

/** What agents do all day, on one store of tasks that grows from step to step. */
export const runWork = async (bench: Bench, engine: EngineName, sizes: readonly number[]): Promise<Growth> => {
  const { progress, load, bare, options } = bench
  const operations = workOperations.filter(({ name }) => !options.only || name.includes(options.only))
  const store = await createStore(engine)
  const steps: Step[] = []
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
        steps.push({ records, startSeconds, memory: memoryOf(service.pid), results })
      } finally {
        await service.stop()
      }
    }
    return growthOf(steps, workOperations)
  } finally {
    await store.remove()
  }
}

/** A batch as a multiple of one of its creates; undefined where one of them was not measured. */
export const batchRatios = (results: readonly Measured[]): { cpu: number; latency: number } | undefined => {
  const serviceOf = (name: string) => results.find(({ operation }) => operation === name)?.service
  const [one, batch] = [serviceOf(createOperation), serviceOf(batchOperation)]
  return one && batch && { cpu: batch.cpuMicroseconds / one.cpuMicroseconds, latency: batch.p50Ms / one.p50Ms }
}
