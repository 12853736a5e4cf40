import type { MessagePort } from 'node:worker_threads'
import { isFull } from '../index/tenant-index.js'
import { createScratchPool } from '../ranking/search-scratch.js'
import type { EmbeddedQuery } from '../semantic/query-embedder.js'
import { createHighlighter } from '../text/snippet.js'
import { createIndexCache } from './index-cache.js'
import type { SearchPorts } from './ports.js'
import type { WorkerAnswer, WorkerRequest } from './protocol.js'
import { searchCollection } from './search-collection.js'

interface ServeSearchOptions {
  /** To the engine. */
  port: MessagePort
  ports: SearchPorts
  memoryBytes: number
  /** Tenants with fewer documents get no snapshot. */
  minSnapshotDocuments: number
  /** How long a search waits for its index to catch up, before it is answered from what is there. */
  maxCatchUpMs?: number | undefined
  /** An error as a value that the engine can make an error of again. */
  describeError(error: unknown): unknown
  /** Called when all snapshots are written. */
  onClose(): Promise<void>
}

type SearchRequest = Extract<WorkerRequest, { kind: 'search' }>

/** Where hits change while they are read, the search is made again: so often, for writes may go on and on. */
const MAX_ATTEMPTS = 5

/** No state of the vectors, so that an answer that is not complete is not taken for that of a later search. */
const PASSING = -1

/** Answers the engine's searches, in a thread of their own. */
export const serveSearch = (options: ServeSearchOptions): void => {
  const { port, ports, describeError } = options
  const tools = { ports, scratch: createScratchPool(), highlighter: createHighlighter() }
  // Of the searches under way that await their vectors.
  const awaited = new Map<number, (query: EmbeddedQuery) => void>()

  // Of the searches under way, those that nobody waits for.
  const underWay = new Set<number>()
  const cancelled = new Set<number>()

  const send = (answer: WorkerAnswer) => port.postMessage(answer)

  const indexes = createIndexCache(ports, {
    memoryBytes: options.memoryBytes,
    minSnapshotDocuments: options.minSnapshotDocuments,
    maxCatchUpMs: options.maxCatchUpMs,
    onProblem: (error, message) => send({ problem: { message, error: String(error) } }),
  })

  const embeddedQuery = async ({ id, awaitsVector }: SearchRequest): Promise<EmbeddedQuery> => {
    if (!awaitsVector || !ports.vectors) return { queryVector: undefined, isLate: false }
    const query = await new Promise<EmbeddedQuery>((resolve) => awaited.set(id, resolve))
    awaited.delete(id)
    return query
  }

  /** The query is embedded elsewhere while the index catches up. */
  const search = async (request: SearchRequest) => {
    const { id, tenantId, commits } = request
    const embedded = embeddedQuery(request)
    // Each message wakes the other thread, so none is sent where nothing has to be built.
    const isBuilt = indexes.isBuilt(tenantId)
    if (!isBuilt) send({ id, phase: 'building' })
    let index = await indexes.current(tenantId, commits)
    if (!isBuilt) send({ id, phase: 'searching' })
    const { vectors } = ports
    const vectorChange = vectors && index.model === vectors.model ? index.vectorChange : undefined
    const isCancelled = () => cancelled.has(id)
    const vector = embedded.then(({ queryVector }) => queryVector)
    const attempt = () => searchCollection({ ...tools, isCancelled }, tenantId, index, request.search, vector)
    let { sequence } = index
    let found = await attempt()
    for (let attempts = 1; found.isOutdated && attempts < MAX_ATTEMPTS; attempts++) {
      index = await indexes.current(tenantId)
      // The log has not told of it yet: another attempt would find the same.
      if (index.sequence === sequence) break
      sequence = index.sequence
      found = await attempt()
    }
    const { hits, total, nextDue } = found
    const { queryVector, isLate } = await embedded
    const isSemantic = queryVector !== undefined
    const isComplete = !index.isBehind && !index.lacksVectors && !isFull(index)
    const basis = isComplete ? vectorChange : PASSING
    return { hits, total, isSemantic, isComplete, vectorChange: isLate ? undefined : basis, nextDue }
  }

  const serve = async (request: Exclude<WorkerRequest, { kind: 'embeddedQuery' | 'cancel' }>): Promise<unknown> => {
    switch (request.kind) {
      case 'search':
        return search(request)
      case 'stats':
        return { tenants: indexes.tenantCount, memoryBytes: indexes.memoryBytes }
      case 'close':
        await indexes.close()
        return options.onClose()
    }
  }

  port.on('message', async (request: WorkerRequest) => {
    if (request.kind === 'embeddedQuery') {
      awaited.get(request.id)?.(request)
      return
    }
    if (request.kind === 'cancel') {
      if (underWay.has(request.id)) cancelled.add(request.id)
      awaited.get(request.id)?.({ queryVector: undefined, isLate: true })
      return
    }
    const { id } = request
    underWay.add(id)
    try {
      const value = await serve(request)
      send(cancelled.has(id) ? { id, isCancelled: true } : { id, value })
    } catch (error) {
      send({ id, error: describeError(error) })
    } finally {
      underWay.delete(id)
      cancelled.delete(id)
    }
  })
}
