import { parseArgs } from 'node:util'
import { engineNames } from '../options.js'
import { createProgress } from '../progress.js'
import { table } from '../table.js'
import { runSearchScale } from './scale-run.js'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    items: { type: 'string', default: '10000,100000' },
  },
})
const engines = engineNames.filter((name) => values.engine === 'both' || values.engine === name)
const steps = values.items.split(',').map(Number)
const progress = createProgress()
const short = (value: number) => value.toFixed(1)

for (const engine of engines) {
  const results = await runSearchScale(engine, steps, progress)
  progress.end()
  const head = ['items', 'hybrid p50', 'p95 ms', 'words p50', 'p95 ms', 'start s', 'read p99', 'with searches', 'MB']
  const rows = results.map((result) => [
    result.items,
    ...[result.hybridP50Ms, result.hybridP95Ms, result.wordsP50Ms, result.wordsP95Ms].map(short),
    result.startSeconds.toFixed(2),
    ...[result.readP99Ms, result.readWhileSearchingP99Ms, result.memoryMegabytes].map(short),
  ])
  console.log(`\n${engine}\n\n${table(head, rows)}\n\n${JSON.stringify(results)}`)
}
