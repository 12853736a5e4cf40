import { createSearchEngine, type QueryEmbedder, type SearchEngine, type Unavailability } from 'worklore-search'
import { type AppError, unavailable } from '../../base/errors.js'
import type { StoreSettings } from '../../db/open.js'
import { reviveError } from './error-crossing.js'

export interface WorkerSettings {
  store: StoreSettings
  memoryBytes: number
  minSnapshotDocuments: number
  maxCatchUpMs: number | undefined
  /** Of the vectors to search by; undefined where search goes by words alone. */
  model: string | undefined
}

export interface OpenSearchOptions {
  store: StoreSettings
  memoryBytes: number
  /** Absent: search goes by words alone. */
  queries?: QueryEmbedder | undefined
  /** How long a search waits for its index to be built. */
  maxWaitMs?: number | undefined
  /** How long it waits for its index to catch up, before it is answered from what is there. */
  maxCatchUpMs?: number | undefined
  /** Tenants with fewer documents get no snapshot. */
  minSnapshotDocuments?: number
  /** Told of what went wrong beside the answers: a snapshot not written, a worker that died. */
  onProblem?(message: string, error: string): void
}

// Searches read with few connections: there is one thread to use them.
const WORKER_CONNECTIONS = 3
const DEFAULT_MIN_SNAPSHOT_DOCUMENTS = 1_000

const createUnavailable = (reason: Unavailability, cause?: unknown): AppError => {
  switch (reason) {
    case 'crowded':
      return unavailable('Too many searches of this tenant are waiting. Send fewer at once.', 1)
    case 'busy':
      return unavailable('Search is busy. Try again shortly.', 2)
    case 'building':
      return unavailable('The search index of this tenant is still being built.', 5)
    case 'restarted':
      return unavailable('Search restarted. Try again.', 1, cause)
    case 'closed':
      return unavailable('The service is shutting down.', 1)
  }
}

/** The search engine on the service's store, which its worker opens for itself. */
export const openSearchEngine = (options: OpenSearchOptions): SearchEngine => {
  const { store, queries, maxWaitMs, onProblem } = options
  const data: WorkerSettings = {
    store: {
      databaseUrl: store.databaseUrl,
      dataDir: store.dataDir,
      poolSize: Math.min(store.poolSize, WORKER_CONNECTIONS),
    },
    memoryBytes: options.memoryBytes,
    minSnapshotDocuments: options.minSnapshotDocuments ?? DEFAULT_MIN_SNAPSHOT_DOCUMENTS,
    maxCatchUpMs: options.maxCatchUpMs,
    model: queries?.model,
  }
  return createSearchEngine({
    worker: { url: new URL('./worker.js', import.meta.url), data },
    queries,
    maxWaitMs,
    createUnavailable,
    reviveError,
    ...(onProblem && { onProblem }),
  })
}
