import type { Logger } from 'pino'
import { createQueryEmbedder, type QueryEmbedderOptions, type SearchEngine } from 'worklore-search'
import type { Config } from '../../config.js'
import type { Db } from '../../db/port.js'
import type { Metrics } from '../../observability/metrics.js'
import { createEmbedder } from './create-embedder.js'
import { openSearchEngine } from './engine.js'
import { createSources } from './sources.js'
import { type BackgroundSettings, backgroundSettings, startEmbedding } from './vectors/background.js'
import { createPace } from './vectors/pace.js'
import { lastChange } from './vectors/position-store.js'
import { countWaiting, countWaitingOf } from './vectors/queue-store.js'
import { countEmbedded } from './vectors/vector-store.js'

declare module '../../operations/core.js' {
  interface Core {
    /** Undefined where search uses words alone. */
    readonly vectors: Vectors | undefined
  }
}

export interface SearchOptions {
  /** How long a search waits for its turn and for its answer. */
  maxWaitMs?: number
  /** How long it waits for its index to catch up, before it is answered from what is there. */
  maxCatchUpMs?: number
  queries?: QueryEmbedderOptions
  embedding?: Partial<BackgroundSettings>
}

export interface Vectors {
  readonly model: string
  /** The newest change of a tenant's vectors. */
  changeOf(tenantId: string): Promise<number>
  progress(tenantId: string): Promise<EmbeddingProgress>
}

/** How far a tenant's records are embedded, counted to `maxCounted`. */
interface EmbeddingProgress {
  waiting: number
  /** Null where none waits: it is not counted then. */
  searchable: number | null
  /** Null where none waits, or too little was embedded of late to tell. */
  secondsLeft: number | null
}

const maxCounted = 1_000_000

interface Search {
  engine: SearchEngine
  /** Undefined where search goes by words alone. */
  vectors: Vectors | undefined
  stop(): Promise<void>
}

/** Search as the settings want it: by words, and by vectors unless these are off. */
export const startSearch = (
  { db, config, metrics, logger }: { db: Db; config: Config; metrics: Metrics; logger: Logger },
  options: SearchOptions = {},
): Search => {
  const embedder = createEmbedder(config)
  const engine = openSearchEngine({
    store: config,
    memoryBytes: config.searchMemoryBytes,
    maxWaitMs: options.maxWaitMs,
    maxCatchUpMs: options.maxCatchUpMs,
    queries: embedder && createQueryEmbedder(embedder, options.queries),
    onProblem: (message, error) => logger.warn({ err: error }, message),
  })
  const pace = createPace()
  const embedding =
    embedder &&
    startEmbedding(
      { db, sources: createSources(db), embedder, pace, metrics, logger },
      { ...backgroundSettings, ...options.embedding },
    )
  metrics.watchSearch({
    indexes: engine.stats,
    ...(embedder && { waiting: () => countWaiting(db, embedder.model) }),
  })
  return {
    engine,
    vectors: embedder && {
      model: embedder.model,
      changeOf: (tenantId) => lastChange(db.ofTenant(tenantId), { tenantId, model: embedder.model }),
      progress: async (tenantId) => {
        const [own, set] = [db.ofTenant(tenantId), { tenantId, model: embedder.model }]
        const waiting = await countWaitingOf(own, set, maxCounted)
        if (waiting === 0) return { waiting, searchable: null, secondsLeft: null }
        const searchable = await countEmbedded(own, set, maxCounted)
        return { waiting, searchable, secondsLeft: pace.secondsFor(tenantId, waiting) ?? null }
      },
    },
    stop: async () => {
      await Promise.all([embedding?.stop(), engine.close()])
    },
  }
}
