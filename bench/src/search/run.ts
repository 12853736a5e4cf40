import type { EngineName } from '../options.js'
import type { Progress } from '../progress.js'
import { call } from '../requests.js'
import { startService } from '../service-process.js'
import { createStore } from '../store.js'
import { bar } from './bar.js'
import type { FirstScores, ShownHit } from './calibration.js'
import type { Collection, Query } from './collection.js'
import { deleteHalf, idOf, putDocuments, waitUntilEmbedded } from './fill.js'
import { mean, meanQuality, percentile, type Quality, qualityOf } from './measures.js'
import type { Mode } from './options.js'
import { isAnswering, isPages, type Pages, type ShownPassage } from './pages.js'

export interface SetResult extends Quality {
  set: string
  /** Recall of the first hundred hits. */
  deepRecall: number
  documents: number
  queries: number
  p50Ms: number
  p95Ms: number
  /** Searches that went by words alone though they were to go by meaning too. */
  wordsOnly: number
  /** The first ten of all queries. */
  shown: ShownHit[]
  /** Scores of the first hits of its queries, and of those of another collection. */
  foreign: FirstScores
  /** The same of its own queries when every second document is deleted, and so the answers of about half of them. */
  halved: FirstScores
  /** The first ten of each query, by its id. */
  found: Record<string, string[]>
  /** Of long pages: the share of queries whose right page is among the first five hits and shows the answering section. */
  passages?: { page: number; first: number; any: number }
  /** The same of a search of everything, as it answers by default. */
  foundByDefault: Record<string, string[]>
}

const WARM_UP = 10
/** A hundred hits with their texts are long: so many queries of a collection ask for them. */
const DEEP_QUERIES = 100
const DEEP_CUT = 100
/** So many queries of a collection tell how scores differ with and without an answer. */
const MAX_ASKED = 300

const embeddingSettings = (mode: Mode): Record<string, string> => {
  if (mode === 'words') return { WORKLORE_EMBEDDINGS: 'off' }
  const names = ['WORKLORE_EMBEDDINGS', 'WORKLORE_EMBEDDINGS_MODEL', 'WORKLORE_EMBEDDINGS_KEY']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

type SearchFor = (text: string) => Promise<{ data: { key: string; passages: ShownPassage[] }[] }>

const measurePassages = async (pages: Pages, search: SearchFor): Promise<NonNullable<SetResult['passages']>> => {
  const counts = { page: 0, first: 0, any: 0 }
  for (const { id, text, grades } of pages.queries) {
    const { data } = await search(text)
    const hit = data.slice(0, 5).find(({ key }) => grades.has(idOf(key)))
    if (!hit) continue
    const answering = hit.passages.map((passage) => isAnswering(pages, id, idOf(hit.key), passage))
    counts.page++
    if (answering[0]) counts.first++
    if (answering.includes(true)) counts.any++
  }
  const all = pages.queries.length
  return { page: counts.page / all, first: counts.first / all, any: counts.any / all }
}

/** One collection in a service of its own, asked one query after the other; last, those of another collection. */
export const runSet = async (
  collection: Collection,
  foreignQueries: readonly string[],
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
    const search = async (text: string, limit = 10) => {
      const path = `/v1/knowledge/search?q=${encodeURIComponent(text)}&limit=${limit}`
      const { status, body, text: answer } = await call(service.port, 'GET', path)
      if (status !== 200) throw new Error(`query "${text}" failed: ${status} ${answer}`)
      return body as { data: { key: string; score: number; passages: ShownPassage[] }[]; semantic: boolean }
    }
    for (const { text } of queries.slice(0, WARM_UP)) await search(`${text} `)

    const latencies: number[] = []
    const qualities: Quality[] = []
    const found: Record<string, string[]> = {}
    const shown: ShownHit[] = []
    let wordsOnly = 0
    const onProgress = say('searching', queries.length)
    for (const { id, text, grades } of queries) {
      const startedAt = performance.now()
      const { data, semantic } = await search(text)
      latencies.push(performance.now() - startedAt)
      if (mode === 'hybrid' && !semantic) wordsOnly++
      found[id] = data.map(({ key }) => idOf(key))
      for (const [at, { key, score }] of data.entries()) {
        shown.push({ score, isRight: grades.has(idOf(key)), isFirst: at === 0 })
      }
      qualities.push(qualityOf(found[id]!, grades))
      onProgress(latencies.length)
    }
    const foundByDefault: Record<string, string[]> = {}
    for (const { id, text } of queries) {
      const path = `/v1/search?q=${encodeURIComponent(text)}&passages=0&fields=key`
      const { body } = await call(service.port, 'GET', path)
      foundByDefault[id] = (body as { data: { key: string }[] }).data.map(({ key }) => idOf(key))
    }
    const passages = isPages(collection) ? await measurePassages(collection, search) : undefined
    const deepRecalls: number[] = []
    for (const { text, grades } of queries.slice(0, DEEP_QUERIES)) {
      const { data } = await search(text, DEEP_CUT)
      deepRecalls.push(data.filter(({ key }) => grades.has(idOf(key))).length / grades.size)
    }
    const scoresOf = async (texts: readonly string[]): Promise<number[]> => {
      const scores: number[] = []
      for (const text of texts) scores.push((await search(text)).data[0]?.score ?? 0)
      return scores
    }
    const firstScores = async (own: readonly string[], other: readonly string[]): Promise<FirstScores> => ({
      answerable: await scoresOf(own),
      unanswerable: await scoresOf(other),
    })
    const asked = queries.slice(0, MAX_ASKED)
    const textsOf = (some: readonly Query[]) => some.map(({ text }) => text)
    const foreign = await firstScores(textsOf(asked), foreignQueries)
    const left = await deleteHalf(service.port, collection)
    const isAnswered = ({ grades }: Query) => [...grades.keys()].some((id) => left.has(id))
    const halved = await firstScores(
      textsOf(asked.filter(isAnswered)),
      textsOf(asked.filter((query) => !isAnswered(query))),
    )
    return {
      set: name,
      documents: documents.length,
      queries: queries.length,
      ...meanQuality(qualities),
      deepRecall: mean(deepRecalls),
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
      wordsOnly,
      shown,
      foreign,
      halved,
      found,
      foundByDefault,
      ...(passages && { passages }),
    }
  } finally {
    await service.stop()
    await store.remove()
  }
}
