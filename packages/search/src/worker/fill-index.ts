import { setImmediate } from 'node:timers/promises'
import { collectionOf, type TenantIndex } from '../index/tenant-index.js'
import type { IndexedDocument } from '../index/word-index.js'
import type { SearchPorts } from './ports.js'

// A page is what is analyzed in one go, so that others wait some milliseconds for it, and what is in memory at once.
const FIRST_PAGE_DOCUMENTS = 10
const PAGE_DOCUMENTS = 200
const PAGE_CHARACTERS = 1_000_000

const nextPageSize = (documents: readonly IndexedDocument[]): number => {
  const characters = documents.reduce((sum, { title, body }) => sum + title.length + body.length, 0)
  const fitting = Math.floor((PAGE_CHARACTERS * documents.length) / Math.max(1, characters))
  return Math.max(1, Math.min(PAGE_DOCUMENTS, fitting))
}

/**
 * Reads all of a tenant's documents into an empty index. They go on changing meanwhile, so what is built is at least as
 * new as its sequence, and applying the log from there makes it right.
 */
export const fillIndex = async ({ collections }: SearchPorts, tenantId: string, index: TenantIndex): Promise<void> => {
  for (const [name, collection] of collections) {
    const { words } = collectionOf(index, name)
    let last: IndexedDocument | undefined
    for (let count = FIRST_PAGE_DOCUMENTS; ; ) {
      const documents = await collection.readPageForIndex(tenantId, last, count)
      for (const document of documents) words.upsert(document)
      if (documents.length < count) break
      last = documents.at(-1)
      count = nextPageSize(documents)
      await setImmediate()
    }
  }
}
