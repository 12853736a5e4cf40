import { collectionOf, createTenantIndex } from '../index/tenant-index.js'
import type { Embedder } from '../semantic/embedder.js'
import { createQueryEmbedder } from '../semantic/query-embedder.js'
import { quantizeVector } from '../semantic/vectors.js'
import { windows } from '../semantic/windows.js'
import { parseQuery } from '../text/query.js'
import { type FoundDocument, searchDocuments } from './search-documents.js'
import { createScratchPool } from './search-scratch.js'

/** Notes in one collection, searched as the service searches them. */
export const createEmbeddedNotes = (embedder: Embedder) => {
  const queries = createQueryEmbedder(embedder, { maxWaitMs: 30_000 })
  const collection = collectionOf(createTenantIndex(['all'], 0, null), 'all')
  const scratch = createScratchPool()
  const texts = new Map<string, string>()
  const vectors = new Map<string, { windows: number; bytes: Uint8Array }>()

  const put = (ref: string, text: string): void => {
    const [title = '', ...rest] = text.split('\n')
    texts.set(ref, text)
    collection.words.upsert({ ref, scope: '', title: `${ref}\n${title}`, body: rest.join('\n') })
  }

  const embed = async (ref: string): Promise<void> => {
    const parts = await embedder.embed(windows(texts.get(ref)!))
    const bytes = Int8Array.from(parts.flatMap((part) => [...quantizeVector(part)]))
    vectors.set(ref, { windows: parts.length, bytes: new Uint8Array(bytes.buffer) })
    const refNumber = collection.words.documents.refs.find(ref)
    collection.vectors.forget(refNumber)
    collection.signatures.put(refNumber, bytes, parts.length)
  }

  return {
    put,
    embed,
    async putAll(notes: Readonly<Record<string, string>>): Promise<void> {
      for (const [ref, text] of Object.entries(notes)) put(ref, text)
      for (const ref of Object.keys(notes)) await embed(ref)
    },
    async search(text: string, isSemantic = true): Promise<FoundDocument[]> {
      const query = parseQuery(text)
      const { hits } = await searchDocuments({
        collection,
        queryVector: isSemantic
          ? queries.embed(query.plain).then(({ queryVector }) => queryVector)
          : Promise.resolve(undefined),
        query,
        filter: {},
        exactNames: [],
        top: 10,
        from: 0,
        to: 10,
        isExplained: true,
        scratch,
        isCancelled: () => false,
        readTexts: async (names) => new Map(names.map(({ ref }) => [ref, [texts.get(ref)!]])),
        readVectors: async (documents) =>
          documents.flatMap(({ document, ref }) => {
            const stored = vectors.get(ref)
            return stored ? [{ document, windows: stored.windows, vectors: stored.bytes }] : []
          }),
      })
      return hits
    },
  }
}
