import { join } from 'node:path'
import { type Bench, measureAll } from './bench.js'
import { fillThroughApi } from './fill.js'
import type { Measured } from './measure.js'
import { type EngineName, searchSettings } from './options.js'
import { type Memory, memoryAfterLoad, untilIdle } from './process-usage.js'
import { startService } from './service-process.js'
import { createStore } from './store.js'
import { describeWorld, prepareUsers } from './world.js'

interface OperationsRun {
  results: readonly Measured[]
  memory: Memory
}

/** Every operation, on a service that was filled through its public interface. */
export const runOperations = async (bench: Bench, engine: EngineName): Promise<OperationsRun> => {
  const { options, progress, load, bare, folder } = bench
  progress.say(`${engine}, starting`)
  const store = await createStore(engine)
  const service = await startService({
    ...store,
    environment: searchSettings(options),
    profileDir: options.isProfiling ? join(folder, `profile-${engine}`) : undefined,
  }).catch(async (error) => {
    await store.remove()
    throw error
  })
  try {
    const userIds = await prepareUsers(service.port)
    await fillThroughApi(load, service.port, options.records, userIds, (done) =>
      progress.say(`${engine}, filling: ${done} of ${options.records}`),
    )
    const world = await describeWorld(service.port, options.records)
    await untilIdle(service.pid)
    const stage = { service, bare, load, world, ...(store.cpu && { storeCpu: store.cpu }) }
    const results = await measureAll(bench, stage, engine)
    return { results, memory: await memoryAfterLoad(service.pid) }
  } finally {
    await service.stop()
    await store.remove()
  }
}
