import type { ChangeEvent, KnowledgeKey, Worklore } from 'worklore-client'
import { createObservable, createRevision, type Observable } from './observable'

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

/** All knowledge items without their contents, which are read one by one. */
export interface KnowledgeIndex {
  revision: Observable<number>
  state: Observable<{ state: 'idle' | 'loading' | 'ready' | 'failed'; isComplete: boolean; error?: unknown }>
  entries(): IterableIterator<KnowledgeEntry>
  get(projectId: string | null, key: string): KnowledgeEntry | undefined
  /** The only key of a place that ends with a slash and this name. */
  keyEndingWith(projectId: string | null, name: string): string | undefined
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

export const createKnowledgeIndex = (client: Worklore): KnowledgeIndex => {
  const byId = new Map<string, KnowledgeEntry>()
  const deleted = new Map<string, number>()
  const { observable: revision, touch } = createRevision()
  /** Keys by their endings, null where several have it; made when it is asked for. */
  let keysByEnding: Map<string, string | null> | undefined
  const state: KnowledgeIndex['state'] = createObservable({ state: 'idle', isComplete: false })

  const put = (entry: KnowledgeEntry): void => {
    const id = entryId(entry.projectId, entry.key)
    if ((byId.get(id)?.version ?? 0) > entry.version || (deleted.get(id) ?? 0) >= entry.version) return
    if (!byId.has(id)) keysByEnding = undefined
    byId.set(id, entryOf(entry))
  }

  const remove = (id: string): void => {
    if (byId.delete(id)) keysByEnding = undefined
  }

  const readEndings = (): Map<string, string | null> => {
    const endings = new Map<string, string | null>()
    for (const { projectId, key } of byId.values()) {
      for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
        const id = entryId(projectId, key.slice(at + 1))
        endings.set(id, endings.has(id) ? null : key)
      }
    }
    return endings
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
    revision,
    state,
    entries: () => byId.values(),
    get: (projectId, key) => byId.get(entryId(projectId, key)),
    keyEndingWith: (projectId, name) => {
      keysByEnding ??= readEndings()
      return keysByEnding.get(entryId(projectId, name)) ?? undefined
    },
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
        remove(id)
      } else {
        if (type === 'knowledge.moved' && previous) {
          const from = { key: data.key, projectId: data.projectId, ...previous }
          remove(entryId(from.projectId, from.key))
        }
        put(data)
      }
      touch()
    },
    removeProject: (projectId) => {
      for (const [id, entry] of byId) if (entry.projectId === projectId) remove(id)
      touch()
    },
    reset: () => {
      byId.clear()
      keysByEnding = undefined
      deleted.clear()
      if (state.get().state !== 'idle') void readAll()
      touch()
    },
  }
}
