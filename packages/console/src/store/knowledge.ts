import type { ChangeEvent, KnowledgeKey } from 'worklore-client'
import type { Client } from '../api/client'
import { createObservable, createView, type Observable } from './base/observable'

const keysPerPage = 500
/** Deleted items remembered; older ones can no longer be on their way in a page. */
const maxDeleted = 2_000

export type KnowledgeEvent = Extract<ChangeEvent, { type: `knowledge.${string}` }>

const entryFields = [
  'key',
  'projectId',
  'version',
  'updatedAt',
  'title',
  'tags',
  'validUntil',
  'supersededBy',
  'trust',
  'retraction',
  'stale',
] as const

export type KnowledgeEntry = Pick<KnowledgeKey, (typeof entryFields)[number]>

export interface KnowledgeView {
  entries(): IterableIterator<KnowledgeEntry>
  get(projectId: string | null, key: string): KnowledgeEntry | undefined
  /** Whether these are all entries. */
  isComplete: boolean
}

/** All knowledge items without their contents, which are read one by one. */
export interface KnowledgeIndex extends Omit<KnowledgeView, 'isComplete'> {
  /** Another view when any entry has changed. */
  view: Observable<KnowledgeView>
  state: Observable<{ state: 'idle' | 'loading' | 'ready' | 'failed'; isComplete: boolean; error?: unknown }>
  load(): void
  /** Takes over an item that was read or changed. */
  add(item: KnowledgeEntry): void
  apply(event: KnowledgeEvent): void
  removeProject(projectId: string): void
  reset(): void
}

const entryId = (projectId: string | null, key: string): string => `${projectId ?? ''}\n${key}`

const entryOf = (item: KnowledgeEntry): KnowledgeEntry =>
  Object.fromEntries(entryFields.map((name) => [name, item[name]])) as unknown as KnowledgeEntry

export const createKnowledgeIndex = (client: Client): KnowledgeIndex => {
  const byId = new Map<string, KnowledgeEntry>()
  const deleted = new Map<string, number>()
  const entries = (): IterableIterator<KnowledgeEntry> => byId.values()
  const get: KnowledgeView['get'] = (projectId, key) => byId.get(entryId(projectId, key))
  const state: KnowledgeIndex['state'] = createObservable({ state: 'idle', isComplete: false })
  const { view, touch } = createView((): KnowledgeView => ({ entries, get, isComplete: state.get().isComplete }))

  const put = (entry: KnowledgeEntry): void => {
    const id = entryId(entry.projectId, entry.key)
    if ((byId.get(id)?.version ?? 0) > entry.version || (deleted.get(id) ?? 0) >= entry.version) return
    byId.set(id, entryOf(entry))
  }

  const readAll = async (): Promise<void> => {
    state.set({ state: 'loading', isComplete: false })
    try {
      for await (const page of client.knowledge.list({ fields: 'key', limit: keysPerPage }).pages()) {
        for (const item of page.data) put(item)
        touch()
        state.set({ state: 'ready', isComplete: !page.pagination.hasMore })
      }
    } catch (error) {
      state.update((value) => ({ ...value, state: value.state === 'ready' ? 'ready' : 'failed', error }))
    }
  }

  return {
    view,
    state,
    entries,
    get,
    load: () => {
      if (state.get().state === 'idle' || state.get().state === 'failed') void readAll()
    },
    add: (item) => {
      put(item)
      touch()
    },
    apply: ({ type, data, previous }) => {
      if (type === 'knowledge.deleted') {
        const id = entryId(data.projectId, data.key)
        deleted.set(id, data.version)
        if (deleted.size > maxDeleted) deleted.delete(deleted.keys().next().value!)
        byId.delete(id)
      } else {
        if (type === 'knowledge.moved' && previous) {
          const from = { key: data.key, projectId: data.projectId, ...previous }
          byId.delete(entryId(from.projectId, from.key))
        }
        put(data)
      }
      touch()
    },
    removeProject: (projectId) => {
      for (const [id, entry] of byId) if (entry.projectId === projectId) byId.delete(id)
      touch()
    },
    reset: () => {
      byId.clear()
      deleted.clear()
      if (state.get().state !== 'idle') void readAll()
      touch()
    },
  }
}
