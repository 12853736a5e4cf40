import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { Db } from '../db/port.js'
import type { Metrics } from '../metrics.js'
import { createEmbedder } from './embedding/create-embedder.js'
import { createQueryEmbedder, type QueryEmbedderOptions } from './embedding/query-embedder.js'
import { createSearchEngine, type SearchEngine } from './engine.js'
import { type BackgroundSettings, backgroundSettings, startEmbedding } from './vectors/background.js'
import { countWaiting } from './vectors/queue-store.js'

export interface SearchOptions {
  /** Where the local model's graph is kept; in the data folder unless given. */
  modelDir?: string
  queries?: QueryEmbedderOptions
  embedding?: Partial<BackgroundSettings>
}

export interface Search {
  engine: SearchEngine
  stop(): Promise<void>
}

/** Search as the settings want it: by words, and by meaning unless that is off. */
export const startSearch = (
  { db, config, metrics, logger }: { db: Db; config: Config; metrics: Metrics; logger: Logger },
  options: SearchOptions = {},
): Search => {
  const embedder = createEmbedder(config, options.modelDir ?? join(config.dataDir, 'models'))
  const engine = createSearchEngine({
    store: config,
    memoryBytes: config.searchMemoryBytes,
    queries: embedder && createQueryEmbedder(embedder, options.queries),
    onProblem: (message, error) => logger.warn({ err: error }, message),
  })
  const embedding =
    embedder && startEmbedding({ db, embedder, metrics, logger }, { ...backgroundSettings, ...options.embedding })
  metrics.watchSearch({
    indexes: engine.stats,
    ...(embedder && { waiting: () => countWaiting(db, embedder.model) }),
  })
  return {
    engine,
    stop: async () => {
      await Promise.all([embedding?.stop(), engine.close()])
    },
  }
}
