import type { IndexedDocument } from '../index/word-index.js'
import { createScratchPool } from '../ranking/search-scratch.js'
import type { StoredSnapshot } from '../snapshot/tenant-snapshot.js'
import { createHighlighter } from '../text/snippet.js'
import { createIndexCache } from './index-cache.js'
import type { Collection, LogEntry, SearchPorts } from './ports.js'
import { searchCollection } from './search-collection.js'

interface ShownNote {
  ref: string
  score: number
  snippet: string
  stored: number
}

export const TENANT = 'tenant'

/** A service in memory: notes, and a log of what became of them. */
export const createNotes = () => {
  const notes = new Map<string, IndexedDocument>()
  const log: LogEntry[] = []
  const snapshots = new Map<string, StoredSnapshot>()
  let [builds, logReads] = [0, 0]

  const inOrder = () => [...notes.values()].sort((a, b) => (a.ref < b.ref ? -1 : 1))
  const collection: Collection = {
    exactNames: (text) => [text],
    readForIndex: async (_, names) => names.flatMap(({ ref }) => notes.get(ref) ?? []),
    readPageForIndex: async (_, after, count) => {
      if (!after) builds++
      return inOrder()
        .filter(({ ref }) => ref > (after?.ref ?? ''))
        .slice(0, count)
    },
    readTexts: async (_, names) =>
      names.flatMap(({ ref }) => {
        const note = notes.get(ref)
        return note ? [{ ref, title: note.title, body: note.body, stored: ref.length }] : []
      }),
    renderHit: ({ hit: { ref, score }, snippet, text }) => JSON.stringify({ ref, score, snippet, stored: text.stored }),
  }
  const ports: SearchPorts = {
    collections: new Map([['note', collection]]),
    log: {
      state: async (_, sequence) => {
        logReads++
        return { newest: log.length, entryId: log[sequence - 1]?.id ?? null }
      },
      readAfter: async (_, sequence, count) => log.slice(sequence, sequence + count),
    },
    snapshots: {
      read: async (tenantId) => snapshots.get(tenantId),
      write: async (tenantId, snapshot) => {
        snapshots.set(tenantId, snapshot)
      },
    },
  }
  const write = (ref: string, scope: string) => {
    const sequence = log.length + 1
    log.push({ sequence, id: `entry ${sequence}`, changed: [{ collection: 'note', ref, scope }] })
  }
  return {
    ports,
    snapshots,
    builds: () => builds,
    logReads: () => logReads,
    put(ref: string, body: string, scope = '') {
      notes.set(ref, { ref, scope, title: ref, body })
      write(ref, scope)
    },
    remove(ref: string) {
      notes.delete(ref)
      write(ref, '')
    },
    removeScope(scope: string) {
      for (const [ref, note] of notes) if (note.scope === scope) notes.delete(ref)
      log.push({ sequence: log.length + 1, id: `entry ${log.length + 1}`, removedScope: scope })
    },
    open(minSnapshotDocuments = 1, maxCatchUpMs = 60_000, maxPassages?: number) {
      const problems: string[] = []
      const cache = createIndexCache(ports, {
        memoryBytes: 1_000_000,
        minSnapshotDocuments,
        maxCatchUpMs,
        ...(maxPassages !== undefined && { maxPassages }),
        onProblem: (_, message) => problems.push(message),
      })
      const tools = { ports, scratch: createScratchPool(), highlighter: createHighlighter(), isCancelled: () => false }
      return {
        problems,
        close: cache.close,
        isComplete: async () => !(await cache.current(TENANT)).isBehind,
        async search(text: string, commits?: string) {
          const search = { collection: 'note', text, filter: {}, top: 10, from: 0, to: 10, isRendered: true }
          const index = await cache.current(TENANT, commits)
          const { hits } = await searchCollection(tools, TENANT, index, search, Promise.resolve(undefined))
          return hits.map((hit) => JSON.parse(hit as string) as ShownNote)
        },
        async refs(text: string, commits?: string) {
          return (await this.search(text, commits)).map(({ ref }) => ref)
        },
      }
    },
  }
}
