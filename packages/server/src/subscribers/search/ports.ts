import type { ChangeLog, SearchPorts, SnapshotStore, VectorStore } from 'worklore-search'
import { changesAfter, type LoggedChange, logState } from '../../changelog/changes.js'
import type { Db } from '../../db/port.js'
import { purgedSequence } from '../../recovery/history/removal/forget.js'
import type { CollectionName } from '../../work/search/source.js'
import { readSnapshot, writeSnapshot } from './snapshot-store.js'
import { changedDocuments, createCollections, createSources, isEmbedded } from './sources.js'
import { lastChange } from './vectors/position-store.js'
import { countWaitingOf } from './vectors/queue-store.js'
import { vectorsAfter, vectorsOf } from './vectors/vector-store.js'

const changeLog = (db: Db): ChangeLog => {
  const entryOf = (change: LoggedChange) => {
    const { sequence, id, type, record } = change
    if (type === 'project.deleted') return { sequence, id, removedScope: record }
    if (type === 'project.restored') return { sequence, id, addedScope: record }
    return { sequence, id, changed: changedDocuments(change) }
  }
  return {
    state: (tenantId, sequence) => logState(db.ofTenant(tenantId), tenantId, sequence),
    readAfter: async (tenantId, sequence, count) =>
      (await changesAfter(db.ofTenant(tenantId), tenantId, sequence, count)).map(entryOf),
  }
}

const vectorStore = (db: Db, model: string): VectorStore => ({
  model,
  lastChange: (tenantId) => lastChange(db.ofTenant(tenantId), { tenantId, model }),
  countWaiting: (tenantId, most) => countWaitingOf(db.ofTenant(tenantId), { tenantId, model }, most),
  readAfter: async (tenantId, change, count) =>
    (await vectorsAfter(db.ofTenant(tenantId), { tenantId, model }, change, count)).map(
      ({ kind, subject, ...vectors }) => ({ ...vectors, collection: kind, ref: subject }),
    ),
  read: (tenantId, collection, documents) => {
    const kind = collection as CollectionName
    if (!isEmbedded(kind)) return Promise.resolve([])
    const subjects = documents.map(({ document, ref }) => ({ document, subject: ref }))
    return vectorsOf(db.ofTenant(tenantId), { tenantId, model }, kind, subjects)
  },
})

const snapshotStore = (db: Db): SnapshotStore => ({
  read: (tenantId) => readSnapshot(db.ofTenant(tenantId), tenantId),
  write: async (tenantId, snapshot, isUrgent) => {
    // One from before a purged record was deleted has its words.
    if (snapshot.sequence < (await purgedSequence(db.ofTenant(tenantId), tenantId))) return
    await writeSnapshot(db.ofTenant(tenantId), tenantId, snapshot, isUrgent)
  },
})

/** The store as the search engine sees it. Without a model it searches by words alone. */
export const createPorts = (db: Db, model: string | undefined): SearchPorts => {
  const sources = createSources(db)
  return {
    collections: createCollections(db, sources),
    log: changeLog(db),
    vectors: model === undefined ? undefined : vectorStore(db, model),
    snapshots: snapshotStore(db),
  }
}
