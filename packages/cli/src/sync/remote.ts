import {
  ApiError,
  type ChangeEvent,
  type KnowledgeItem,
  NotFoundError,
  PreconditionFailedError,
  type Worklore,
} from 'worklore-client'
import type { SyncState, SyncTarget } from './state.js'

/** A note of the service; its text where that is known already. */
export interface RemoteNote {
  version: number
  item?: KnowledgeItem
}

/** The notes of the service below the prefix. */
export interface RemoteNotes {
  notes: Map<string, RemoteNote>
  /** New keys of notes that were moved since the last sync, by their old ones. */
  moves: Map<string, string>
  /** Whether these are all moves since then. */
  areMovesKnown: boolean
  /** Up to where the event log is known. */
  position: number
  /** Whether they were listed, or told by events. */
  isListed: boolean
}

/** Events that tell of notes; those of a project come and go with all of its notes. */
export const eventTypes = ['knowledge.*', 'project.deleted', 'project.restored']

const maxEvents = 500
const maxEventPages = 20
const keysPerPage = 500
/** What events do not tell, such as another role of the key, is seen after this long. */
const maxListAgeMs = 3_600_000
const parallelReads = 4
/** More than these are read by pages of the list. */
const maxSingleReads = 20

const isTold = (event: ChangeEvent): event is ChangeEvent & { type: `knowledge.${string}`; data: KnowledgeItem } =>
  event.type.startsWith('knowledge.')

const isIn = ({ projectId, prefix }: SyncTarget, place: string | null | undefined, key: string): boolean =>
  (place ?? null) === projectId && key.startsWith(prefix)

/** Follows the moves among events: where the note of a key is now. */
const collectMoves = (moves: Map<string, string>, event: ChangeEvent, target: SyncTarget): void => {
  if (event.type !== 'knowledge.moved') return
  const from = event.previous as Pick<KnowledgeItem, 'key' | 'projectId'>
  const { key, projectId } = event.data
  const isStaying = isIn(target, from.projectId, from.key) && isIn(target, projectId, key)
  for (const old of [from.key, ...[...moves].flatMap(([each, to]) => (to === from.key ? each : []))]) {
    if (isStaying) moves.set(old, key)
    else moves.delete(old)
  }
}

/** Whether an event tells of a change that the sync does not know of. */
export const isNews = (event: ChangeEvent, { target, notes, unsynced }: SyncState): boolean => {
  if (!isTold(event)) return event.projectId === target.projectId
  const versionOf = (place: string | null | undefined, key: string): number | undefined => {
    if (!isIn(target, place, key)) return undefined
    for (const note of notes.values()) if (note.key === key) return note.version
    return unsynced.get(key)
  }
  const { key, version } = event.data
  const known = versionOf(event.projectId, key)
  if (event.type === 'knowledge.deleted') return known !== undefined
  const from = event.type === 'knowledge.moved' ? (event.previous as KnowledgeItem | null) : null
  if (from && versionOf(from.projectId, from.key) !== undefined) return true
  return isIn(target, event.projectId, key) && known !== version
}

export const createRemote = (wl: Worklore, target: SyncTarget) => {
  const projectId = target.projectId ?? undefined
  const place = {
    ...(projectId === undefined ? { scope: 'tenant' as const } : { projectId }),
    prefix: target.prefix || undefined,
  }

  /** What the log has after a position, as far as one page goes; undefined where that position is gone. */
  const eventsAfter = async (after: number) => {
    try {
      return await wl.events.list({ after, types: eventTypes, limit: maxEvents })
    } catch (error) {
      if (error instanceof ApiError && (error.status === 410 || error.status === 400)) return undefined
      throw error
    }
  }

  const movesAfter = async (after: number): Promise<Pick<RemoteNotes, 'moves' | 'areMovesKnown'>> => {
    const moves = new Map<string, string>()
    let pages = 0
    for await (const { data } of wl.events.list({ after, types: ['knowledge.moved'], limit: maxEvents }).pages()) {
      for (const event of data) collectMoves(moves, event, target)
      if (++pages >= maxEventPages) return { moves, areMovesKnown: false }
    }
    return { moves, areMovesKnown: true }
  }

  const listed = async (after: number | null): Promise<RemoteNotes> => {
    const { pagination } = await wl.events.list({ after: 'latest', limit: 1 })
    const notes = new Map<string, RemoteNote>()
    for await (const { key, version } of wl.knowledge.list({ ...place, fields: 'key', limit: keysPerPage })) {
      notes.set(key, { version })
    }
    const moved = after === null ? { moves: new Map<string, string>(), areMovesKnown: false } : await movesAfter(after)
    return { notes, ...moved, position: pagination.nextAfter, isListed: true }
  }

  /** The notes as they were at the last sync, with what events tell of them since. */
  const told = ({ notes: synced, unsynced }: SyncState, events: ChangeEvent[], position: number): RemoteNotes => {
    const notes = new Map<string, RemoteNote>([...unsynced].map(([key, version]) => [key, { version }]))
    for (const { key, version } of synced.values()) if (version > 0) notes.set(key, { version })
    const moves = new Map<string, string>()
    for (const event of events) {
      if (!isTold(event)) continue
      collectMoves(moves, event, target)
      const { data, type } = event
      const from = type === 'knowledge.moved' ? (event.previous as KnowledgeItem | null) : null
      if (from && isIn(target, from.projectId, from.key)) notes.delete(from.key)
      if (!isIn(target, event.projectId, data.key)) continue
      if (type === 'knowledge.deleted') notes.delete(data.key)
      else notes.set(data.key, { version: data.version, ...(data.content !== undefined && { item: data }) })
    }
    return { notes, moves, areMovesKnown: true, position, isListed: false }
  }

  const get = async (key: string): Promise<KnowledgeItem | undefined> => {
    try {
      const item = await wl.knowledge.get(key, { projectId })
      // Without a project, a project's note of the same key may be found instead.
      return item.projectId === target.projectId ? item : undefined
    } catch (error) {
      const isGone = error instanceof NotFoundError || (error instanceof ApiError && error.status === 409)
      if (!isGone) throw error
      return undefined
    }
  }

  return {
    read: async (state: SyncState): Promise<RemoteNotes> => {
      const { position } = state
      if (position === null) return listed(null)
      const page = await eventsAfter(position)
      if (!page) return listed(null)
      const { data, pagination } = page
      const isOld = Date.now() - state.listedAtMs > maxListAgeMs
      const isOfProject = data.some((event) => !isTold(event) && event.projectId === target.projectId)
      if (pagination.hasMore || isOld || isOfProject) return listed(position)
      return told(state, data, pagination.nextAfter)
    },
    /** Reads the texts of some notes; those that are gone are left out. */
    fetch: async (
      keys: ReadonlySet<string>,
      total: number,
      onItem: (item: KnowledgeItem) => void,
      onProgress: (done: number) => void,
    ): Promise<void> => {
      let done = 0
      const give = (item: KnowledgeItem | undefined): void => {
        if (item) onItem(item)
        onProgress(++done)
      }
      if (keys.size > total / keysPerPage + maxSingleReads) {
        for await (const item of wl.knowledge.list({ ...place, limit: keysPerPage })) {
          if (keys.has(item.key)) give(item)
        }
        return
      }
      const waiting = [...keys]
      const readSome = async (): Promise<void> => {
        for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) give(await get(key))
      }
      await Promise.all(Array.from({ length: parallelReads }, readSome))
    },
  }
}

export type Remote = ReturnType<typeof createRemote>

export const conditionOf = (version: number | null) =>
  version === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` }

/** Somebody else was faster: the next pass sees it. */
export const isOutdated = (error: ApiError): boolean => error instanceof PreconditionFailedError || error.status === 404
