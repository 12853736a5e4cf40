import { Worker } from 'node:worker_threads'
import type { QueryEmbedder } from '../semantic/query-embedder.js'
import { literalQuery, parseQuery } from '../text/query.js'
import { createFairQueue } from './fair-queue.js'
import type { Found, Hit, Search, WorkerAnswer, WorkerRequest, WorkerStats } from './protocol.js'

/** Whoever waits for a search. */
export interface Caller {
  /** What the tenant had committed before: an index that has all of it need not be brought up to date. */
  readonly commits?: string | undefined
  /** Calls `listener` when nobody waits any longer. */
  onAbandoned(listener: () => void): void
}

export interface SearchEngine {
  /** Documents of a collection, best first. */
  search(tenantId: string, search: Search & { isRendered: true }, caller?: Caller): Promise<Found<string>>
  search(tenantId: string, search: Search, caller?: Caller): Promise<Found>
  stats(): Promise<WorkerStats>
  /** Lets the worker write what it holds back. */
  close(): Promise<void>
}

/**
 * Why a search has no answer: too many searches of the tenant wait already, or its turn did not come or did not end in
 * time; its index takes longer to build than it waits; its worker died; or all is closed.
 */
export type Unavailability = 'crowded' | 'busy' | 'building' | 'restarted' | 'closed'

interface SearchEngineOptions {
  /** A program that calls `serveSearch`, and what it is given. */
  worker: { url: URL; data: unknown }
  /** Absent: search goes by words alone. */
  queries?: QueryEmbedder | undefined
  /** How long a search waits for its index to be built. */
  maxWaitMs?: number | undefined
  createUnavailable(reason: Unavailability, cause?: unknown): Error
  /** Makes an error of what the worker's `describeError` said. */
  reviveError(description: unknown): Error
  /** Told of what went wrong beside the answers: a snapshot not written, a worker that died. */
  onProblem?(message: string, error: string): void
}

interface PendingRequest {
  resolve(value: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
  /** What the worker does, as far as it has said. */
  phase: 'building' | 'searching'
}

type Question = WorkerRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

const DEFAULT_MAX_WAIT_MS = 10_000
const MAX_CLOSE_MS = 8_000
const MAX_STATS_MS = 1_000
/** Most of what a search makes is garbage when it ends; more room for it costs memory and saves no time. */
const MAX_YOUNG_MB = 8
/** The worker is one thread: more would only wait there, where tenants have no turns. */
const MAX_RUNNING = 4
const MAX_RUNNING_OF_TENANT = 2
const MAX_WAITING_OF_TENANT = 64

/** Sends searches to the worker, which is started by the first one and again after it died. */
export const createSearchEngine = (options: SearchEngineOptions): SearchEngine => {
  const { queries, maxWaitMs = DEFAULT_MAX_WAIT_MS, createUnavailable, onProblem = () => {} } = options
  const pending = new Map<number, PendingRequest>()
  let worker: Worker | undefined
  let isClosed = false
  let lastId = 0

  const settle = (id: number, act: (request: PendingRequest) => void) => {
    const request = pending.get(id)
    if (!request) return
    pending.delete(id)
    clearTimeout(request.timer)
    act(request)
  }

  const receive = (answer: WorkerAnswer) => {
    if ('problem' in answer) return onProblem(answer.problem.message, answer.problem.error)
    if ('phase' in answer) {
      const request = pending.get(answer.id)
      if (request) request.phase = answer.phase
      return
    }
    settle(answer.id, ({ resolve, reject }) => {
      if ('error' in answer) reject(options.reviveError(answer.error))
      else if ('isCancelled' in answer) reject(createUnavailable('busy'))
      else resolve(answer.value)
    })
  }

  const handleDeath = (died: Worker, cause: unknown) => {
    if (worker !== died) return
    worker = undefined
    if (!isClosed) onProblem('the search worker died and is started again by the next search', String(cause))
    for (const id of [...pending.keys()]) settle(id, ({ reject }) => reject(createUnavailable('restarted', cause)))
  }

  const start = (): Worker => {
    const started = new Worker(options.worker.url, {
      workerData: options.worker.data,
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    })
    started.on('message', receive)
    started.on('error', (error) => handleDeath(started, error))
    started.on('exit', (code) => handleDeath(started, `it ended with code ${code}`))
    // An idle worker keeps no process alive; a search under way does, by its timer.
    started.unref()
    return started
  }

  const ask = <T>(question: Question, timeoutMs: number): Promise<T> =>
    new Promise((resolve, reject) => {
      worker ??= start()
      const id = ++lastId
      const timer = setTimeout(() => {
        worker?.postMessage({ id, kind: 'cancel' } satisfies WorkerRequest)
        settle(id, ({ phase }) => reject(createUnavailable(phase === 'building' ? 'building' : 'busy')))
      }, timeoutMs)
      pending.set(id, { resolve: resolve as (value: unknown) => void, reject, timer, phase: 'searching' })
      worker.postMessage({ ...question, id })
    })

  const queue = createFairQueue({
    maxRunning: MAX_RUNNING,
    maxRunningOfKey: MAX_RUNNING_OF_TENANT,
    maxWaitingOfKey: MAX_WAITING_OF_TENANT,
  })

  /** Resolves when it is the tenant's turn; rejects where it does not come in time or nobody waits any longer. */
  const turnOf = (tenantId: string, caller: Caller | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      let isOver = false
      let leave: (() => void) | undefined
      const giveUp = (): void => {
        if (isOver) return
        clearTimeout(timer)
        leave?.()
        reject(createUnavailable('busy'))
      }
      const timer = setTimeout(giveUp, maxWaitMs)
      leave = queue.add(tenantId, () => {
        isOver = true
        clearTimeout(timer)
        resolve()
      })
      if (!leave) {
        clearTimeout(timer)
        reject(createUnavailable('crowded'))
      } else caller?.onAbandoned(giveUp)
    })

  const search = async <T extends Hit | string>(
    tenantId: string,
    wanted: Search,
    caller?: Caller,
  ): Promise<Found<T>> => {
    if (isClosed) throw createUnavailable('closed')
    const embedded = queries?.embed((wanted.isLiteral ? literalQuery : parseQuery)(wanted.text).plain)
    await turnOf(tenantId, caller)
    try {
      const question: Question = {
        kind: 'search',
        tenantId,
        commits: caller?.commits,
        awaitsVector: queries !== undefined,
        search: wanted,
      }
      const answer = ask<Found<T>>(question, maxWaitMs)
      const id = lastId
      const asked = worker
      void embedded?.then((query) =>
        asked?.postMessage({ id, kind: 'embeddedQuery', ...query } satisfies WorkerRequest),
      )
      caller?.onAbandoned(() => {
        if (pending.has(id)) asked?.postMessage({ id, kind: 'cancel' } satisfies WorkerRequest)
      })
      return await answer
    } finally {
      queue.done(tenantId)
    }
  }

  return {
    search,
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
