import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProgress } from '../progress.js'
import { table } from '../table.js'
import { falseAlarms, precisionAndRecall, reliability } from './calibration.js'
import { type Collection, readCollection } from './collection.js'
import { mean, meanQuality } from './measures.js'
import { readSearchOptions } from './options.js'
import { runSet, type SetResult } from './run.js'

const options = readSearchOptions()
const progress = createProgress()
const runs: object[] = []

const rowsOf = (results: readonly SetResult[]) => {
  const deepRecall = mean(results.map((result) => result.deepRecall))
  const means = { ...meanQuality(results), deepRecall, set: 'mean', documents: '', queries: '', p50Ms: '', p95Ms: '' }
  const short = (value: number | string) => (typeof value === 'number' ? value.toFixed(1) : value)
  return [...results, means].map(({ set, documents, queries, ndcg, recall, mrr, deepRecall, p50Ms, p95Ms }) => [
    set,
    documents,
    queries,
    ...[ndcg, recall, mrr, deepRecall].map((value) => value.toFixed(4)),
    short(p50Ms),
    short(p95Ms),
  ])
}

const MAX_UNANSWERABLE = 120

/** Queries that the collection has no answer to: those of the next one. */
const unanswerableFor = (collections: readonly Collection[], at: number): string[] => {
  const other = collections[(at + 1) % collections.length]!
  return collections.length < 2 ? [] : other.queries.slice(0, MAX_UNANSWERABLE).map(({ text }) => text)
}

const collections = [...options.sets].map(([name, folder]) => readCollection(name, folder))

for (const engine of options.engines) {
  for (const mode of options.modes) {
    const results: SetResult[] = []
    for (const [at, collection] of collections.entries()) {
      results.push(await runSet(collection, unanswerableFor(collections, at), engine, mode, progress))
    }
    progress.end()
    const head = ['set', 'documents', 'queries', 'nDCG@10', 'recall@10', 'MRR@10', 'recall@100', 'p50 ms', 'p95 ms']
    console.log(`\n${engine}, ${mode}\n\n${table(head, rowsOf(results))}`)
    const wordsOnly = results.reduce((sum, result) => sum + result.wordsOnly, 0)
    if (wordsOnly > 0) console.log(`\n${wordsOnly} searches went by words alone`)
    const shown = results.flatMap((result) => result.shown)
    console.log(`\n${table(['score', 'hits', 'right', 'first hits', 'right'], reliability(shown))}`)
    console.log(`\n${table(['minScore', 'precision', 'recall'], precisionAndRecall(shown))}`)
    const unanswerable = results.flatMap((result) => result.unanswerable)
    if (unanswerable.length > 0) {
      console.log(`\n${table(['unanswerable: first hit from', 'share'], falseAlarms(unanswerable))}`)
    }
    const sets = results.map(({ shown: _, unanswerable: __, ...result }) => result)
    runs.push({ engine, mode, mean: meanQuality(results), sets })
  }
}

const folder = fileURLToPath(new URL('../../results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const path = join(folder, `${options.output}.json`)
const machine = { node: process.version, cpu: `${cpus().length} × ${cpus()[0]?.model ?? ''}`, at: new Date() }
writeFileSync(path, `${JSON.stringify({ machine, runs }, null, 2)}\n`)
console.log(`\nwritten: ${path}`)
