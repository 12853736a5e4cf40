import type { EngineName } from '../options.js'
import type { Progress } from '../progress.js'
import { call } from '../requests.js'
import { startService } from '../service-process.js'
import { createStore } from '../store.js'
import { bar } from './bar.js'
import type { Collection } from './collection.js'
import { idOf, putDocuments, waitUntilEmbedded } from './fill.js'
import { meanQuality, percentile, type Quality, qualityOf } from './measures.js'
import type { Mode } from './options.js'

export interface SetResult extends Quality {
  set: string
  documents: number
  queries: number
  p50Ms: number
  p95Ms: number
  /** Searches that went by words alone though they were to go by meaning too. */
  wordsOnly: number
  /** The first ten of each query, by its id. */
  found: Record<string, string[]>
}

const WARM_UP = 10

const embeddingSettings = (mode: Mode): Record<string, string> => {
  if (mode === 'words') return { WORKLORE_EMBEDDINGS: 'off' }
  const names = ['WORKLORE_EMBEDDINGS', 'WORKLORE_EMBEDDINGS_MODEL', 'WORKLORE_EMBEDDINGS_KEY']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** One collection in a service of its own, asked one query after the other. */
export const runSet = async (
  collection: Collection,
  engine: EngineName,
  mode: Mode,
  progress: Progress,
): Promise<SetResult> => {
  const { name, documents, queries } = collection
  const store = await createStore(engine)
  const service = await startService({ ...store, environment: embeddingSettings(mode) })
  const say = (what: string, all: number) => (done: number) =>
    progress.say(`${engine}, ${mode}, ${name}, ${what}: ${bar(done, all)}`)
  try {
    await putDocuments(service.port, collection, say('writing', documents.length))
    if (mode === 'hybrid') await waitUntilEmbedded(service.port, collection, say('embedding', documents.length))
    const search = (text: string) => call(service.port, 'GET', `/v1/knowledge/search?q=${encodeURIComponent(text)}`)
    for (const { text } of queries.slice(0, WARM_UP)) await search(`${text} `)

    const latencies: number[] = []
    const qualities: Quality[] = []
    const found: Record<string, string[]> = {}
    let wordsOnly = 0
    const onProgress = say('searching', queries.length)
    for (const { id, text, grades } of queries) {
      const startedAt = performance.now()
      const { status, body, text: answer } = await search(text)
      latencies.push(performance.now() - startedAt)
      if (status !== 200) throw new Error(`query ${id} failed: ${status} ${answer}`)
      if (mode === 'hybrid' && !body.semantic) wordsOnly++
      found[id] = body.data.map(({ key }: { key: string }) => idOf(key))
      qualities.push(qualityOf(found[id]!, grades))
      onProgress(latencies.length)
    }
    return {
      set: name,
      documents: documents.length,
      queries: queries.length,
      ...meanQuality(qualities),
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
      wordsOnly,
      found,
    }
  } finally {
    await service.stop()
    await store.remove()
  }
}
