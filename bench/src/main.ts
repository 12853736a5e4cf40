import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBareFastify } from './bare-process.js'
import { chart, type Series } from './chart.js'
import { growthOf } from './growth.js'
import { startLoadProcess } from './load-process.js'
import { readOptions } from './options.js'
import { createProgress } from './progress.js'
import { runOperations } from './run-operations.js'
import { runScale } from './run-scale.js'
import { growthTable, operationsTable, stepsTable } from './table.js'

const options = readOptions()
const folder = fileURLToPath(new URL('../results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const progress = createProgress()
const bench = { options, progress, load: startLoadProcess(), bare: await startBareFastify(), folder }
const series: Series[] = []
const engines: Record<string, unknown> = {}

try {
  for (const engine of options.engines) {
    if (options.scale) {
      const steps = await runScale(bench, engine, options.scale)
      const growth = growthOf(steps)
      progress.end()
      console.log(`\n${engine}: CPU of the service as a multiple of bare Fastify, by the number of records\n`)
      console.log(`${growthTable(growth)}\n\n${stepsTable(growth)}`)
      engines[engine] = growth
      series.push({ title: `${engine}, ${steps.at(-1)!.records} records`, results: steps.at(-1)!.results })
    } else {
      const run = await runOperations(bench, engine)
      progress.end()
      console.log(
        `\n${engine}, ${options.records} tasks and as many knowledge items, ${options.connections} connections\n`,
      )
      console.log(
        `${operationsTable(run.results)}\n\nmemory of the service afterwards: ${run.memory.megabytes.toFixed(0)} MB, ${run.memory.ofFiles.toFixed(0)} MB of it mapped files`,
      )
      engines[engine] = run
      series.push({ title: `${engine}, ${options.records} records`, results: run.results })
    }
  }
} finally {
  bench.load.stop()
  bench.bare.stop()
}

const path = join(folder, options.output)
const machine = { node: process.version, cpu: `${cpus().length} × ${cpus()[0]?.model ?? ''}`, at: new Date() }
writeFileSync(`${path}.json`, `${JSON.stringify({ machine, options, engines }, null, 2)}\n`)
writeFileSync(`${path}.svg`, chart(series))
console.log(`\nwritten: ${path}.json and .svg`)
