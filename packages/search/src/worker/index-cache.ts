import { createTenantIndex, isFull, memoryOf, sizeOf, type TenantIndex } from '../index/tenant-index.js'
import { compactTenant, isWorthCompacting } from '../snapshot/compact-tenant.js'
import { decodeTenant, encodeTenant } from '../snapshot/tenant-snapshot.js'
import { runInSlices } from '../time-slicing.js'
import { fillIndex } from './fill-index.js'
import type { SearchPorts } from './ports.js'
import { syncLog } from './sync-log.js'
import { areVectorsDue, syncVectors } from './sync-vectors.js'

interface IndexCacheOptions {
  memoryBytes: number
  /** A tenant with fewer documents of the usual length is built as fast as a snapshot is read. */
  minSnapshotDocuments: number
  /** How long a search waits for its index to catch up, before it is answered from what is there. */
  maxCatchUpMs?: number | undefined
  /** How many passages the index of one collection can hold; defaults to the number of possible document numbers. */
  maxPassages?: number
  onProblem(error: unknown, message: string): void
}

interface Entry {
  index: TenantIndex | undefined
  usedAt: number
  memoryBytes: number
  measuredAt: number
  /** What is done to this tenant's index, one thing after the other. */
  tail: Promise<unknown>
  /** A sync that has not begun, which later searches may share: it will see what was written before now. */
  pendingSync: Promise<TenantIndex> | undefined
  /** What the tenant had committed, as the last caller knew it: it may be less than another one knew. */
  askedCommits: string | undefined
  /** What is in the index for certain. */
  syncedCommits: string | undefined
}

// The share of an index that changed, from which on a snapshot is worth writing while it is in use.
const CHANGED_SHARE = 0.2
/** What a text of some hundred words takes in an index. */
const USUAL_DOCUMENT_BYTES = 1_000

/** An index is measured no more often than this: it grows little meanwhile, and measuring it takes as long as a small search. */
const MEASURE_MS = 1_000
const DEFAULT_MAX_CATCH_UP_MS = 3_000

/** The indexes of the tenants that searched last, as many as the memory allows. */
export const createIndexCache = (ports: SearchPorts, options: IndexCacheOptions) => {
  const names = [...ports.collections.keys()]
  const entries = new Map<string, Entry>()
  /** Snapshots that are being written, by tenant. */
  const writing = new Map<string, Promise<void>>()
  const reportedFull = new WeakSet<TenantIndex>()
  let isClosing = false

  const readSnapshot = async (tenantId: string): Promise<TenantIndex | undefined> => {
    try {
      const stored = await ports.snapshots.read(tenantId)
      return stored && (await runInSlices(decodeTenant(stored, names)))
    } catch (error) {
      options.onProblem(error, 'a search snapshot could not be read; the index is built from the documents')
      return undefined
    }
  }

  /** Builds the index where searches see it grow. */
  const build = async (tenantId: string, entry: Entry): Promise<TenantIndex> => {
    const sequence = (await ports.log.state(tenantId, 0))?.newest
    const state = sequence === undefined ? undefined : await ports.log.state(tenantId, sequence)
    if (sequence === undefined || !state) return createTenantIndex(names, 0, null)
    const index = createTenantIndex(names, sequence, state.entryId, options.maxPassages)
    index.isBehind = true
    entry.index = index
    try {
      await fillIndex(ports, tenantId, index)
    } catch (error) {
      entry.index = undefined
      throw error
    }
    index.isBehind = false
    index.changes = sizeOf(index)
    return index
  }

  const sync = async (tenantId: string, entry: Entry): Promise<{ index: TenantIndex; isCurrent: boolean }> => {
    entry.index ??= (await readSnapshot(tenantId)) ?? (await build(tenantId, entry))
    let synced = await syncLog(ports, tenantId, entry.index)
    if (synced === 'diverged') {
      entry.index = await build(tenantId, entry)
      synced = await syncLog(ports, tenantId, entry.index)
    }
    if (synced === 'gone') entry.index = createTenantIndex(names, 0, null)
    if (isFull(entry.index)) await rebuildIfRoom(tenantId, entry, entry.index)
    await addVectors(tenantId, entry)
    await runInSlices(compactTenant(entry.index))
    return { index: entry.index, isCurrent: synced !== 'diverged' }
  }

  /** Compaction would free room, but only a rebuild adds the documents that did not fit. */
  const rebuildIfRoom = async (tenantId: string, entry: Entry, full: TenantIndex): Promise<void> => {
    if (!reportedFull.has(full)) {
      options.onProblem(new Error(tenantId), 'a search index is full; documents that did not fit cannot be found')
      reportedFull.add(full)
    }
    if (![...full.collections.values()].some(({ words }) => isWorthCompacting(words))) return
    entry.index = await build(tenantId, entry)
  }

  // Many vectors are added in parts, so that searches can come between.
  const addVectors = async (tenantId: string, entry: Entry): Promise<void> => {
    if (!ports.vectors || !entry.index || entries.get(tenantId) !== entry) return
    if (await syncVectors(ports, ports.vectors, tenantId, entry.index)) return
    enqueue(entry, () => addVectors(tenantId, entry)).catch((error) =>
      options.onProblem(error, 'vectors could not be read and will be with the next search'),
    )
  }

  const save = async (tenantId: string, index: TenantIndex): Promise<void> => {
    const snapshot = await runInSlices(encodeTenant(index))
    index.changes = 0
    const write = Promise.resolve(writing.get(tenantId))
      .then(() => ports.snapshots.write(tenantId, snapshot, () => isClosing))
      .catch((error) => options.onProblem(error, 'a search snapshot could not be written'))
      .finally(() => {
        if (writing.get(tenantId) === write) writing.delete(tenantId)
      })
    writing.set(tenantId, write)
  }

  const isWorthSaving = (index: TenantIndex, memoryBytes: number, share: number) => {
    const { minSnapshotDocuments } = options
    if (isFull(index)) return false
    const documents = Math.max(1, sizeOf(index))
    // A long text counts as many, for it takes as long to index.
    const weight = Math.max(1, memoryBytes / (documents * USUAL_DOCUMENT_BYTES))
    const [size, changes] = [documents * weight, index.changes * weight]
    return size >= minSnapshotDocuments && changes >= Math.max(minSnapshotDocuments, size * share)
  }

  const enqueue = <T>(entry: Entry, work: () => Promise<T>): Promise<T> => {
    const result = entry.tail.then(work)
    entry.tail = result.catch(() => {})
    return result
  }

  const entryOf = (tenantId: string): Entry => {
    let entry = entries.get(tenantId)
    if (!entry) {
      entry = {
        index: undefined,
        usedAt: 0,
        memoryBytes: 0,
        measuredAt: Number.NEGATIVE_INFINITY,
        tail: Promise.resolve(),
        pendingSync: undefined,
        askedCommits: undefined,
        syncedCommits: undefined,
      }
      entries.set(tenantId, entry)
    }
    entry.usedAt = performance.now()
    return entry
  }

  const evict = (tenantId: string, entry: Entry) => {
    entries.delete(tenantId)
    enqueue(entry, async () => {
      if (entry.index && isWorthSaving(entry.index, entry.memoryBytes, 0)) await save(tenantId, entry.index)
    }).catch((error) => options.onProblem(error, 'a search snapshot could not be made'))
  }

  // The longest idle first; the one in use stays, however large it is.
  const evictIdle = (current: Entry) => {
    const idleFirst = [...entries]
      .filter(([, entry]) => entry !== current && entry.index?.isBehind === false)
      .sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let total = current.memoryBytes + idleFirst.reduce((sum, [, entry]) => sum + entry.memoryBytes, 0)
    for (const [tenantId, entry] of idleFirst) {
      if (total <= options.memoryBytes) return
      total -= entry.memoryBytes
      evict(tenantId, entry)
    }
  }

  const saveIfChanged = (tenantId: string, entry: Entry, index: TenantIndex) => {
    const isDue = () => !writing.has(tenantId) && isWorthSaving(index, entry.memoryBytes, CHANGED_SHARE)
    if (!isDue()) return
    void enqueue(entry, async () => isDue() && save(tenantId, index))
  }

  /** What a sync makes; where it takes long, the index as far as it is. */
  const syncedSoon = async (entry: Entry, sync: Promise<TenantIndex>): Promise<TenantIndex> => {
    let timer: NodeJS.Timeout | undefined
    let isSynced = false
    const synced = sync.finally(() => {
      isSynced = true
    })
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, options.maxCatchUpMs ?? DEFAULT_MAX_CATCH_UP_MS)
    })
    await Promise.race([synced, waited]).finally(() => clearTimeout(timer))
    if (isSynced || !entry.index) return synced
    entry.index.isBehind = true
    return entry.index
  }

  const areVectorsFresh = (index: TenantIndex) => !ports.vectors || !areVectorsDue(ports.vectors, index)

  return {
    /**
     * The tenant's index with every change in it that was committed before this call, or before `commits` was read,
     * unless it takes long to catch up.
     */
    current(tenantId: string, commits?: string): Promise<TenantIndex> {
      const entry = entryOf(tenantId)
      const { index: known, syncedCommits } = entry
      if (known && commits !== undefined && commits === syncedCommits && areVectorsFresh(known)) {
        return Promise.resolve(known)
      }
      entry.askedCommits = commits ?? entry.askedCommits
      entry.pendingSync ??= enqueue(entry, async () => {
        entry.pendingSync = undefined
        const { askedCommits } = entry
        const { index, isCurrent } = await sync(tenantId, entry)
        index.isBehind = false
        entry.syncedCommits = isCurrent ? askedCommits : undefined
        if (performance.now() - entry.measuredAt >= MEASURE_MS) {
          entry.memoryBytes = memoryOf(index)
          entry.measuredAt = performance.now()
          evictIdle(entry)
        }
        return index
      })
      entry.pendingSync.then(
        (index) => saveIfChanged(tenantId, entry, index),
        () => {},
      )
      return syncedSoon(entry, entry.pendingSync)
    },

    /** Whether the tenant's index has been built, so that little is left to do. */
    isBuilt: (tenantId: string): boolean => entries.get(tenantId)?.index?.isBehind === false,

    get tenantCount() {
      return entries.size
    },
    get memoryBytes() {
      return [...entries.values()].reduce((sum, entry) => sum + entry.memoryBytes, 0)
    },

    async close(): Promise<void> {
      isClosing = true
      const all = [...entries]
      for (const [tenantId, entry] of all) evict(tenantId, entry)
      await Promise.all(all.map(([, entry]) => entry.tail))
      await Promise.all(writing.values())
    },
  }
}
