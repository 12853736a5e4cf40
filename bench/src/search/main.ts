import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProgress } from '../progress.js'
import { table } from '../table.js'
import { areaUnderCurve, falseAlarms, precisionAndRecall, reliability } from './calibration.js'
import { type Collection, readCollection } from './collection.js'
import { mean, meanQuality } from './measures.js'
import { readSearchOptions } from './options.js'
import { joinPages } from './pages.js'
import { runSet, type SetResult } from './run.js'
import { evidenceFound, evidenceHead, hasSessions, joinSessions } from './sessions.js'

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
  const isAnother = ({ queries }: Collection) => queries[0]?.text !== collections[at]!.queries[0]?.text
  const other = [...collections.slice(at), ...collections.slice(0, at)].find(isAnother)
  return other?.queries.slice(0, MAX_UNANSWERABLE).map(({ text }) => text) ?? []
}

const collections = [...options.sets].flatMap(([name, folder]) => {
  const collection = readCollection(name, folder)
  return [
    collection,
    ...(hasSessions(collection) ? [joinSessions(collection)] : []),
    ...(options.pages.includes(name) ? [joinPages(collection)] : []),
  ]
})

/** How much of the evidence is found: by the search of knowledge, and by that of everything as it answers by default. */
const evidenceRows = (results: readonly SetResult[]): string[][] =>
  results.flatMap(({ set, found, foundByDefault }) => {
    const { queries } = collections.find(({ name }) => name === set)!
    return [
      [set, 'knowledge', ...evidenceFound(queries, found)],
      [set, 'everything', ...evidenceFound(queries, foundByDefault)],
    ]
  })

/** How well the first score tells questions with an answer from those without. */
const separationRows = (results: readonly SetResult[]): string[][] =>
  results.map(({ set, foreign, halved }) => [
    set,
    ...[foreign, halved].map((scores) => (scores.unanswerable.length === 0 ? '' : areaUnderCurve(scores).toFixed(3))),
  ])

for (const engine of options.engines) {
  for (const mode of options.modes) {
    const results: SetResult[] = []
    for (const [at, collection] of collections.entries()) {
      results.push(await runSet(collection, unanswerableFor(collections, at), engine, mode, progress))
    }
    progress.end()
    const head = ['set', 'documents', 'queries', 'nDCG@10', 'recall@10', 'MRR@10', 'recall@100', 'p50 ms', 'p95 ms']
    console.log(`\n${engine}, ${mode}\n\n${table(head, rowsOf(results))}`)
    console.log(`\n${table(['set', 'search', ...evidenceHead], evidenceRows(results))}`)
    const pages = results.flatMap(({ set, passages }) => (passages ? [{ set, ...passages }] : []))
    const passageRows = pages.map(({ set, ...shares }) => [
      set,
      ...Object.values(shares).map((share) => share.toFixed(3)),
    ])
    console.log(`\n${table(['pages', 'found@5', 'first passage', 'among three'], passageRows)}`)
    const wordsOnly = results.reduce((sum, result) => sum + result.wordsOnly, 0)
    if (wordsOnly > 0) console.log(`\n${wordsOnly} searches went by words alone`)
    const shown = results.flatMap((result) => result.shown)
    console.log(`\n${table(['score', 'hits', 'right', 'first hits', 'right'], reliability(shown))}`)
    console.log(`\n${table(['minScore', 'precision', 'recall'], precisionAndRecall(shown))}`)
    console.log(`\n${table(['AUC of the first score', 'another set', 'half deleted'], separationRows(results))}`)
    const unanswerable = results.flatMap((result) => result.foreign.unanswerable)
    if (unanswerable.length > 0) {
      console.log(`\n${table(['unanswerable: first hit from', 'share'], falseAlarms(unanswerable))}`)
    }
    const sets = results.map(({ shown: _, foreign: __, halved: ___, ...result }) => result)
    runs.push({ engine, mode, mean: meanQuality(results), sets })
  }
}

const folder = fileURLToPath(new URL('../../results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const path = join(folder, `${options.output}.json`)
const machine = { node: process.version, cpu: `${cpus().length} × ${cpus()[0]?.model ?? ''}`, at: new Date() }
writeFileSync(path, `${JSON.stringify({ machine, runs }, null, 2)}\n`)
console.log(`\nwritten: ${path}`)
