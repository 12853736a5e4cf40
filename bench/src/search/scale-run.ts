import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineName } from '../options.js'
import { residentMegabytes, untilIdle } from '../process-usage.js'
import type { Progress } from '../progress.js'
import { itemContent, itemKey } from '../records.js'
import { call } from '../requests.js'
import { startService } from '../service-process.js'
import { createStore } from '../store.js'
import { bar } from './bar.js'
import { percentile } from './measures.js'
import { fillWithVectors } from './scale-fill.js'

interface ScaleResult {
  items: number
  hybridP50Ms: number
  hybridP95Ms: number
  wordsP50Ms: number
  wordsP95Ms: number
  /** From the start of the service to the first answer to a search, with a snapshot there. */
  startSeconds: number
  /** Another request alone, and while searches run. */
  readP99Ms: number
  readWhileSearchingP99Ms: number
  memoryMegabytes: number
}

const SEARCHES = 300
const READS = 1_000

/** Four words that some item holds, and one that none does. */
const queryOf = (at: number): string =>
  `${itemContent(at * 7 + 3)
    .split(/\s+/)
    .slice(4, 8)
    .join(' ')} number${at}`

const timed = async (count: number, ask: (at: number) => Promise<unknown>): Promise<number[]> => {
  const latencies: number[] = []
  for (let at = 0; at < count; at++) {
    const startedAt = performance.now()
    await ask(at)
    latencies.push(performance.now() - startedAt)
  }
  return latencies
}

const search = (port: number) => (at: number) =>
  call(port, 'GET', `/v1/knowledge/search?q=${encodeURIComponent(queryOf(at))}`)

const timeSearches = async (port: number): Promise<number[]> => {
  await timed(30, (at) => search(port)(at + 10_000))
  return timed(SEARCHES, search(port))
}

/** An index of many items is built for longer than a search waits for it. */
const untilSearchable = async (port: number): Promise<void> => {
  while ((await search(port)(0)).status === 503) await sleep(1_000)
}

const measureHybrid = async (store: { dataDir: string; databaseUrl: string | undefined }, items: number) => {
  const first = await startService(store)
  await untilSearchable(first.port)
  // What waits is looked through once, the vectors are taken in, and the index is saved.
  await untilIdle(first.pid)
  await search(first.port)(0)
  await untilIdle(first.pid)
  await first.stop()

  const startedAt = performance.now()
  const service = await startService(store)
  await search(service.port)(0)
  const startSeconds = (performance.now() - startedAt) / 1_000
  await sleep(2_500)
  const hybrid = await timeSearches(service.port)
  const read = (at: number) => call(service.port, 'GET', `/v1/knowledge/${itemKey(at % items)}`)
  await timed(200, read)
  const alone = await timed(READS, read)
  let isSearching = true
  const searching = (async () => {
    for (let at = 0; isSearching; at++) await search(service.port)(at + 1_000)
  })()
  const together = await timed(READS, read)
  isSearching = false
  await searching
  const memory = residentMegabytes(service.pid)
  await service.stop()
  return { startSeconds, hybrid, alone, together, memory }
}

const measureWords = async (store: { dataDir: string; databaseUrl: string | undefined }) => {
  const service = await startService({ ...store, environment: { WORKLORE_EMBEDDINGS: 'off' } })
  await untilSearchable(service.port)
  const latencies = await timeSearches(service.port)
  await service.stop()
  return latencies
}

export const runSearchScale = async (
  engine: EngineName,
  steps: readonly number[],
  progress: Progress,
): Promise<ScaleResult[]> => {
  const store = await createStore(engine)
  const results: ScaleResult[] = []
  try {
    const empty = await startService(store)
    await empty.stop()
    for (const [step, items] of steps.entries()) {
      const say = (done: number) => progress.say(`${engine}, filling to ${items}: ${bar(done, items)}`)
      await fillWithVectors(store, steps[step - 1] ?? 0, items, say)
      progress.say(`${engine}, searching among ${items}: `)
      const { startSeconds, hybrid, alone, together, memory } = await measureHybrid(store, items)
      const words = await measureWords(store)
      results.push({
        items,
        hybridP50Ms: percentile(hybrid, 0.5),
        hybridP95Ms: percentile(hybrid, 0.95),
        wordsP50Ms: percentile(words, 0.5),
        wordsP95Ms: percentile(words, 0.95),
        startSeconds,
        readP99Ms: percentile(alone, 0.99),
        readWhileSearchingP99Ms: percentile(together, 0.99),
        memoryMegabytes: memory,
      })
    }
  } finally {
    await store.remove()
  }
  return results
}
