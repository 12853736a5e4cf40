import { setImmediate } from 'node:timers/promises'
import { collectionOf, type TenantIndex } from '../index/tenant-index.js'
import type { DocumentName } from '../ranking/search-index.js'
import type { LogEntry, SearchPorts } from './ports.js'

const ENTRIES_PER_READ = 100

const DOCUMENTS_PER_READ = 100

/** Reindexes all documents of a scope. */
const addScope = async ({ collections }: SearchPorts, tenantId: string, index: TenantIndex, scope: string) => {
  for (const [name, collection] of collections) {
    const { words } = collectionOf(index, name)
    for (let last: DocumentName | undefined; ; ) {
      const documents = await collection.readPageForIndex(tenantId, last, DOCUMENTS_PER_READ, scope)
      for (const { ref } of documents) words.remove(ref)
      for (const document of documents) words.upsert(document)
      last = documents.at(-1)
      if (!last) break
      await setImmediate()
    }
  }
}

/** `diverged`: the log does not go on from where the index is, so that it must be built anew. */
type SyncResult = 'current' | 'diverged' | 'gone'

// The log says which documents changed; what they are now is read from their collection, once for many entries.
const apply = async (ports: SearchPorts, tenantId: string, index: TenantIndex, entries: readonly LogEntry[]) => {
  const { collections } = ports
  const changed = new Map<string, Map<string, DocumentName>>()
  for (const name of collections.keys()) changed.set(name, new Map())
  for (const { changed: documents = [], removedScope } of entries) {
    for (const { collection, ref, scope } of documents) changed.get(collection)?.set(ref, { ref, scope })
    if (removedScope !== undefined) {
      for (const { words } of index.collections.values()) words.removeScope(removedScope)
    }
  }
  for (const { addedScope } of entries) {
    if (addedScope !== undefined) await addScope(ports, tenantId, index, addedScope)
  }
  for (const [name, names] of changed) {
    if (names.size === 0) continue
    const { words } = collectionOf(index, name)
    const documents = await collections.get(name)!.readForIndex(tenantId, [...names.values()])
    for (const ref of names.keys()) words.remove(ref)
    for (const document of documents) words.upsert(document)
  }
}

/** Brings an index up to what the log says now. */
export const syncLog = async (ports: SearchPorts, tenantId: string, index: TenantIndex): Promise<SyncResult> => {
  const state = await ports.log.state(tenantId, index.sequence)
  if (!state) return 'gone'
  const { newest, entryId } = state
  // Another entry at the same place is another log: a backup was put in place of the one that the index follows.
  const isOther = entryId !== null && index.entryId !== null && entryId !== index.entryId
  if (newest < index.sequence || isOther) return 'diverged'
  while (index.sequence < newest) {
    const entries = await ports.log.readAfter(tenantId, index.sequence, ENTRIES_PER_READ)
    // Sequences have no gaps, so a missing one was trimmed.
    if (entries[0]?.sequence !== index.sequence + 1) return 'diverged'
    await apply(ports, tenantId, index, entries)
    index.sequence = entries.at(-1)!.sequence
    index.entryId = entries.at(-1)!.id
    index.changes += entries.length
    await setImmediate()
  }
  return 'current'
}
