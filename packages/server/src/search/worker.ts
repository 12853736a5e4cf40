import { parentPort, workerData } from 'node:worker_threads'
import { openDb } from '../db/open.js'
import { AppError } from '../errors.js'
import type { WorkerAnswer, WorkerRequest, WorkerSettings } from './protocol.js'
import { searchKnowledge, searchTasks } from './search-records.js'
import { createTenantIndexes } from './tenant-indexes.js'

// A thread of its own, so that building and searching never hold up the event loop that answers requests.
const port = parentPort!
const settings = workerData as WorkerSettings
const db = await openDb(settings.store)

const send = (answer: WorkerAnswer) => port.postMessage(answer)

const indexes = createTenantIndexes(db, {
  memoryBytes: settings.memoryBytes,
  snapshotLeast: settings.snapshotLeast,
  onProblem: (error, message) => send({ problem: { message, error: String(error) } }),
})

const serve = async (request: WorkerRequest): Promise<unknown> => {
  switch (request.kind) {
    case 'tasks':
      return searchTasks(db, request.tenantId, await indexes.current(request.tenantId), request.search)
    case 'knowledge':
      return searchKnowledge(db, request.tenantId, await indexes.current(request.tenantId), request.search)
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
  try {
    send({ id: request.id, value: await serve(request) })
  } catch (error) {
    send({ id: request.id, error: errorOf(error) })
  }
})
