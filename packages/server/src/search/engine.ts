import { Worker } from 'node:worker_threads'
import type { StoreSettings } from '../db/open.js'
import { AppError, unavailable } from '../errors.js'
import type { QueryEmbedder } from './embedding/query-embedder.js'
import type {
  Found,
  FoundItem,
  FoundTask,
  KnowledgeSearch,
  TaskSearch,
  WorkerAnswer,
  WorkerRequest,
  WorkerSettings,
  WorkerStats,
} from './protocol.js'
import { parseQuery } from './query.js'

export interface SearchEngine {
  /** Tasks, best first. */
  searchTasks(tenantId: string, search: TaskSearch): Promise<Found<FoundTask>>
  /** Knowledge items, best first. */
  searchKnowledge(tenantId: string, search: KnowledgeSearch): Promise<Found<FoundItem>>
  stats(): Promise<WorkerStats>
  /** Lets the worker write what it holds back. */
  close(): Promise<void>
}

export interface SearchEngineOptions {
  store: StoreSettings
  memoryBytes: number
  /** Absent: search goes by words alone. */
  queries?: QueryEmbedder | undefined
  /** How long a search waits for its index to be built. */
  maxWaitMs?: number
  /** Tenants with fewer records get no snapshot. */
  snapshotLeast?: number
  /** Told of what went wrong beside the answers: a snapshot not written, a worker that died. */
  onProblem?(message: string, error: string): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

type SearchQuestion =
  | { kind: 'tasks'; tenantId: string; search: TaskSearch }
  | { kind: 'knowledge'; tenantId: string; search: KnowledgeSearch }

type Question = WorkerRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

// Searches read with few connections: there is one thread to use them.
const WORKER_CONNECTIONS = 3
const DEFAULT_MAX_WAIT_MS = 10_000
const DEFAULT_SNAPSHOT_LEAST = 1_000
const MAX_CLOSE_MS = 8_000
const MAX_STATS_MS = 1_000

/** The door to the search worker, which is started by the first search and again after it died. */
export const createSearchEngine = (options: SearchEngineOptions): SearchEngine => {
  const { queries, maxWaitMs = DEFAULT_MAX_WAIT_MS, onProblem = () => {} } = options
  const settings: WorkerSettings = {
    store: {
      databaseUrl: options.store.databaseUrl,
      dataDir: options.store.dataDir,
      poolSize: Math.min(options.store.poolSize, WORKER_CONNECTIONS),
    },
    memoryBytes: options.memoryBytes,
    snapshotLeast: options.snapshotLeast ?? DEFAULT_SNAPSHOT_LEAST,
    model: queries?.model,
  }
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let isClosed = false
  let lastId = 0

  const settle = (id: number, act: (one: Waiting) => void) => {
    const one = waiting.get(id)
    if (!one) return
    waiting.delete(id)
    clearTimeout(one.timer)
    act(one)
  }

  const receive = (answer: WorkerAnswer) => {
    if ('problem' in answer) return onProblem(answer.problem.message, answer.problem.error)
    settle(answer.id, ({ resolve, reject }) => {
      if (!('error' in answer)) return resolve(answer.value)
      const { message, code, extras } = answer.error
      reject(code ? new AppError(code, message, extras) : new Error(message))
    })
  }

  const bury = (dead: Worker, cause: unknown) => {
    if (worker !== dead) return
    worker = undefined
    if (!isClosed) onProblem('the search worker died and is started again by the next search', String(cause))
    for (const id of [...waiting.keys()]) {
      settle(id, ({ reject }) =>
        reject(unavailable('Search had to start again. Send the request once more.', 1, cause)),
      )
    }
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./worker.js', import.meta.url), { workerData: settings })
    started.on('message', receive)
    started.on('error', (error) => bury(started, error))
    started.on('exit', (code) => bury(started, `it ended with code ${code}`))
    // An idle worker keeps no process alive; a search under way does, by its timer.
    started.unref()
    return started
  }

  const ask = <T>(question: Question, timeoutMs: number): Promise<T> =>
    new Promise((resolve, reject) => {
      worker ??= start()
      const id = ++lastId
      const timer = setTimeout(
        () => settle(id, (one) => one.reject(unavailable('The search index of this tenant is still being built.', 5))),
        timeoutMs,
      )
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, timer })
      worker.postMessage({ ...question, id })
    })

  const whileOpen = <T>(question: Question): Promise<T> =>
    isClosed ? Promise.reject(unavailable('The service is shutting down.', 1)) : ask(question, maxWaitMs)

  const search = <T>(question: SearchQuestion): Promise<Found<T>> => {
    const answer = whileOpen<Found<T>>({ ...question, awaitsMeaning: queries !== undefined })
    const id = lastId
    const asked = worker
    void queries
      ?.embed(parseQuery(question.search.text).plain)
      .then((vector) => asked?.postMessage({ id, kind: 'meaning', vector } satisfies WorkerRequest))
    return answer
  }

  return {
    searchTasks: (tenantId, wanted) => search({ kind: 'tasks', tenantId, search: wanted }),
    searchKnowledge: (tenantId, wanted) => search({ kind: 'knowledge', tenantId, search: wanted }),
    stats: () =>
      worker && !isClosed ? ask({ kind: 'stats' }, MAX_STATS_MS) : Promise.resolve({ tenants: 0, memoryBytes: 0 }),
    async close() {
      if (isClosed) return
      isClosed = true
      const closing = worker
      if (!closing) return
      await ask({ kind: 'close' }, MAX_CLOSE_MS).catch((error) =>
        onProblem('search did not close in time', String(error)),
      )
      await closing.terminate()
    },
  }
}
