import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBareFastify } from './bare-process.js'
import { chart, type Series } from './chart.js'
import { type Growth, growthOf } from './growth.js'
import { startLoadProcess } from './load-process.js'
import { machine, machineLine } from './machine.js'
import type { Measured } from './measure.js'
import { operations } from './operations.js'
import { type EngineName, readOptions } from './options.js'
import type { Memory } from './process-usage.js'
import { createProgress } from './progress.js'
import { runOperations } from './run-operations.js'
import { runScale } from './run-scale.js'
import { growthTable, operationsTable, stepsTable } from './table.js'
import { runWork } from './work/run-work.js'

const options = readOptions()
const folder = fileURLToPath(new URL('../results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const progress = createProgress()
const bench = { options, progress, load: startLoadProcess(), bare: await startBareFastify(), folder }
const series: Series[] = []
const engines: Record<string, unknown> = {}

const showGrowth = (growth: Growth, of: string): void => {
  const { records, results } = growth.steps.at(-1)!
  progress.end()
  console.log(`\n${of}: CPU of the service as a multiple of bare Fastify, by the number of records\n`)
  console.log(`${growthTable(growth)}\n\n${stepsTable(growth)}`)
  series.push({ title: `${of}, ${records} records`, results })
}

const showOperations = (results: readonly Measured[], memory: Memory, of: string): void => {
  progress.end()
  console.log(`\n${of}, ${options.connections} connections\n\n${operationsTable(results)}\n`)
  console.log(
    `memory of the service afterwards: ${memory.megabytes.toFixed(0)} MB, ${memory.ofFiles.toFixed(0)} MB of it mapped files; at rest ${memory.atRest.toFixed(0)} MB`,
  )
  series.push({ title: of, results })
}

const runRecords = async (engine: EngineName): Promise<unknown> => {
  if (options.scale) {
    const growth = growthOf(await runScale(bench, engine, options.scale), operations)
    showGrowth(growth, engine)
    return growth
  }
  const run = await runOperations(bench, engine)
  showOperations(run.results, run.memory, `${engine}, ${options.records} tasks and as many knowledge items`)
  return run
}

/** With fewer tasks a run uses up those that are ready. */
const leastWork = 10_000

const runAgentWork = async (engine: EngineName): Promise<unknown> => {
  const { growth, batch } = await runWork(
    bench,
    engine,
    options.scale?.filter((records) => records >= leastWork) ?? [options.records],
  )
  const { results, memory } = growth.steps.at(-1)!
  if (options.scale) showGrowth(growth, `${engine}, work`)
  else showOperations(results, memory, `${engine}, work among ${options.records} tasks`)
  if (batch) {
    const { cpu, latency } = batch
    console.log(
      `the batch / one create: CPU ${cpu.toFixed(1)} × (at most 15), p50 of one caller ${latency.toFixed(1)} × (at most 3)`,
    )
  }
  return { growth, batch }
}

try {
  for (const engine of options.engines) {
    engines[engine] = {
      ...(options.parts.includes('records') && { records: await runRecords(engine) }),
      ...(options.parts.includes('work') && { work: await runAgentWork(engine) }),
    }
  }
} finally {
  bench.load.stop()
  bench.bare.stop()
}

const path = join(folder, options.output)
writeFileSync(`${path}.json`, `${JSON.stringify({ machine, options, engines }, null, 2)}\n`)
writeFileSync(`${path}.svg`, chart(series))
console.log(`\non ${machineLine}\nwritten: ${path}.json and .svg`)
