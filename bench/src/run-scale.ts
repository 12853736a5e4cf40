import { type Bench, measureAll } from './bench.js'
import { loadInBulk } from './bulk-load.js'
import type { Step } from './growth.js'
import { type EngineName, searchSettings } from './options.js'
import { memoryAfterLoad, untilIdle } from './process-usage.js'
import { call } from './requests.js'
import { startService } from './service-process.js'
import { type BenchStore, createStore } from './store.js'
import { describeWorld, prepareUsers } from './world.js'

/** The reading operations on one store that grows from step to step. */
export const runScale = async (bench: Bench, engine: EngineName, sizes: readonly number[]): Promise<Step[]> => {
  const { progress, load, bare, options } = bench
  const start = (store: BenchStore) => startService({ ...store, environment: searchSettings(options) })
  const store = await createStore(engine)
  const steps: Step[] = []
  let filled = 0
  try {
    const first = await start(store)
    const userIds = await prepareUsers(first.port)
    await first.stop()
    for (const records of sizes) {
      const where = `${engine} with ${records} records`
      await loadInBulk(store, filled, records, userIds, (done) => progress.say(`${where}, filling: ${done}`))
      filled = records
      const startedAt = performance.now()
      const service = await start(store)
      try {
        await call(service.port, 'GET', '/v1/tasks/ALPHA-1')
        const startSeconds = (performance.now() - startedAt) / 1_000
        const world = await describeWorld(service.port, records)
        await untilIdle(service.pid)
        const stage = { service, bare, load, world, ...(store.cpu && { storeCpu: store.cpu }) }
        const results = await measureAll(bench, stage, where, ({ isWrite }) => !isWrite)
        steps.push({ records, startSeconds, memory: await memoryAfterLoad(service.pid), results })
      } finally {
        await service.stop()
      }
    }
    return steps
  } finally {
    await store.remove()
  }
}
