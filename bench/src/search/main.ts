import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProgress } from '../progress.js'
import { table } from '../table.js'
import { readCollection } from './collection.js'
import { meanQuality } from './measures.js'
import { readSearchOptions } from './options.js'
import { runSet, type SetResult } from './run.js'

const options = readSearchOptions()
const progress = createProgress()
const runs: object[] = []

const rowsOf = (results: readonly SetResult[]) => {
  const mean = { ...meanQuality(results), set: 'mean', documents: '', queries: '', p50Ms: '', p95Ms: '' }
  const short = (value: number | string) => (typeof value === 'number' ? value.toFixed(1) : value)
  return [...results, mean].map(({ set, documents, queries, ndcg, recall, mrr, p50Ms, p95Ms }) => [
    set,
    documents,
    queries,
    ...[ndcg, recall, mrr].map((value) => value.toFixed(4)),
    short(p50Ms),
    short(p95Ms),
  ])
}

for (const engine of options.engines) {
  for (const mode of options.modes) {
    const results: SetResult[] = []
    for (const [name, folder] of options.sets) {
      results.push(await runSet(readCollection(name, folder), engine, mode, progress))
    }
    progress.end()
    const head = ['set', 'documents', 'queries', 'nDCG@10', 'recall@10', 'MRR@10', 'p50 ms', 'p95 ms']
    console.log(`\n${engine}, ${mode}\n\n${table(head, rowsOf(results))}`)
    const wordsOnly = results.reduce((sum, result) => sum + result.wordsOnly, 0)
    if (wordsOnly > 0) console.log(`\n${wordsOnly} searches went by words alone`)
    runs.push({ engine, mode, mean: meanQuality(results), sets: results })
  }
}

const folder = fileURLToPath(new URL('../../results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const path = join(folder, `${options.output}.json`)
const machine = { node: process.version, cpu: `${cpus().length} × ${cpus()[0]?.model ?? ''}`, at: new Date() }
writeFileSync(path, `${JSON.stringify({ machine, runs }, null, 2)}\n`)
console.log(`\nwritten: ${path}`)
