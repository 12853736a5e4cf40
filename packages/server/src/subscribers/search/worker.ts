import { parentPort, workerData } from 'node:worker_threads'
import { serveSearch } from 'worklore-search/worker'
import { openDb } from '../../db/open.js'
import type { WorkerSettings } from './engine.js'
import { describeError } from './error-crossing.js'
import { createPorts } from './ports.js'

// A thread of its own, so that building and searching never hold up the event loop that answers requests.
const settings = workerData as WorkerSettings
const db = await openDb(settings.store)

serveSearch({
  port: parentPort!,
  ports: createPorts(db, settings.model),
  memoryBytes: settings.memoryBytes,
  minSnapshotDocuments: settings.minSnapshotDocuments,
  maxCatchUpMs: settings.maxCatchUpMs,
  describeError,
  onClose: () => db.close(),
})
