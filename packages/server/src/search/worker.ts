import { parentPort, workerData } from 'node:worker_threads'
import { openDb } from '../db/open.js'
import { AppError } from '../errors.js'
import type { Meaning } from './meaning.js'
import type { WorkerAnswer, WorkerRequest, WorkerSettings } from './protocol.js'
import { searchKnowledge } from './search-knowledge.js'
import { searchTasks } from './search-tasks.js'
import type { TenantIndex } from './tenant-index.js'
import { createTenantIndexes } from './tenant-indexes.js'

// A thread of its own, so that building and searching never hold up the event loop that answers requests.
const port = parentPort!
const settings = workerData as WorkerSettings
const { model } = settings
const db = await openDb(settings.store)

const send = (answer: WorkerAnswer) => port.postMessage(answer)

const indexes = createTenantIndexes(db, {
  memoryBytes: settings.memoryBytes,
  snapshotLeast: settings.snapshotLeast,
  model,
  onProblem: (error, message) => send({ problem: { message, error: String(error) } }),
})

type SearchRequest = Extract<WorkerRequest, { tenantId: string }>

const meanings = new Map<number, (vector: Float32Array | undefined) => void>()

const meaningOf = async ({ id, awaitsMeaning }: SearchRequest): Promise<Meaning | undefined> => {
  if (!awaitsMeaning || model === undefined) return undefined
  const vector = await new Promise<Float32Array | undefined>((resolve) => meanings.set(id, resolve))
  meanings.delete(id)
  return vector && { vector, model }
}

/** The query is embedded elsewhere while the index catches up. */
const search = async <T>(
  request: SearchRequest,
  find: (index: TenantIndex, meaning: Promise<Meaning | undefined>) => Promise<T>,
) => {
  const meaning = meaningOf(request)
  const found = await find(await indexes.current(request.tenantId), meaning)
  return { ...found, isSemantic: (await meaning) !== undefined }
}

const serve = async (request: Exclude<WorkerRequest, { kind: 'meaning' }>): Promise<unknown> => {
  switch (request.kind) {
    case 'tasks':
      return search(request, (index, meaning) => searchTasks(db, request.tenantId, index, request.search, meaning))
    case 'knowledge':
      return search(request, (index, meaning) => searchKnowledge(db, request.tenantId, index, request.search, meaning))
    case 'stats':
      return { tenants: indexes.tenantCount, memoryBytes: indexes.memoryBytes }
    case 'close':
      await indexes.close()
      await db.close()
      return undefined
  }
}

const errorOf = (error: unknown) =>
  error instanceof AppError
    ? { message: error.message, code: error.code, extras: error.extras }
    : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }

port.on('message', async (request: WorkerRequest) => {
  if (request.kind === 'meaning') {
    meanings.get(request.id)?.(request.vector)
    return
  }
  try {
    send({ id: request.id, value: await serve(request) })
  } catch (error) {
    send({ id: request.id, error: errorOf(error) })
  }
})
