import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import { addCounts, type CountRow, deleteCounts, deleteWaits, type Span, saveWaits } from './store.js'

export { type CountGroup, listMinutes, listWaits, type Span, sumCounts } from './store.js'

/** What came of a request, filled in on its way. */
export interface RequestUsage {
  isWrite?: boolean
  /** Changes of records that it made, if it succeeds. */
  changes?: number
  /** The first project that it turned out to be about. */
  projectId?: string
  /** Of the error that an interface puts into an answer of status 200. */
  status?: number
}

/** Lets a request count as one about a project; the first one counts. */
export const noteProject = (usage: RequestUsage | undefined, projectId: string): void => {
  if (usage) usage.projectId ??= projectId
}

/** Adds to the changes that a request makes. */
export const noteChanges = (usage: RequestUsage | undefined, count: number): void => {
  if (usage) usage.changes = (usage.changes ?? 0) + count
}

/** Does work whose changes are counted only if `isKept` finds that they stay. */
export const countingKept = async <T>(
  usage: RequestUsage | undefined,
  work: () => Promise<T>,
  isKept: (result: T) => boolean,
): Promise<T> => {
  const before = usage?.changes ?? 0
  const result = await work()
  if (usage && !isKept(result)) usage.changes = before
  return result
}

interface Key {
  tenantId: string
  keyId: string
}

/** Counts what keys do in memory, to be written every few seconds: a crash loses no more than those. */
export interface Usage {
  countRequest(key: Key, usage: RequestUsage, status: number): void
  /** A caller waits for a task until a time, or found none. */
  noteWait(key: Key, worker: string | null | undefined, untilMs: number): void
  flush(tenantId?: string): Promise<void>
}

export const spanMs: Record<Span, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
export const keptMs: Record<Span, number> = { minute: spanMs.hour, hour: 2 * spanMs.day, day: 30 * spanMs.day }
const spans = ['minute', 'hour', 'day'] as const
export const startOf = (span: Span, ms: number): number => ms - (ms % spanMs[span])

/** Pairs of key and project that are counted apart until the next write; what is beyond them is not counted. */
const maxCounted = 20_000
/** A wait that is extended by less is not written again. */
const minExtensionMs = 15_000
const maxWaits = 10_000
const rowsPerWrite = 500
const rowsPerStep = 1_000

interface Counts {
  requests: number
  writes: number
  changes: number
  /** By status. */
  refused: Map<number, number>
}

interface Unwritten {
  /** By key, then by project: ids that are there already are found without making a text of two of them. */
  counts: Map<string, Map<string, Counts>>
  pairs: number
  /** By key and worker. */
  waits: Map<string, number>
}

const metricsOf = ({ requests, writes, changes, refused }: Counts): [metric: string, value: number][] => [
  ['requests', requests],
  ...(writes > 0 ? [['writes', writes] as [string, number]] : []),
  ...(changes > 0 ? [['changes', changes] as [string, number]] : []),
  ...[...refused].map(([status, count]): [string, number] => [`refused.${status}`, count]),
]

const addRefused = ({ refused }: Counts, status: number, by: number): void => {
  refused.set(status, (refused.get(status) ?? 0) + by)
}

/** By the minute only changes are counted. */
const isCountedBy = (span: Span, metric: string): boolean => span !== 'minute' || metric === 'changes'

const rowOrder = (row: CountRow): string => [row.span, row.starts_at, row.key_id, row.project_id, row.metric].join()

export const createUsage = (db: Db, clock: Clock): Usage => {
  const tenants = new Map<string, Unwritten>()
  /** Until when each wait is written or about to be. */
  const knownWaits = new Map<string, number>()
  /** The last write of each tenant that is being written. */
  const underWay = new Map<string, Promise<void>>()
  let counted = 0

  const of = (tenantId: string): Unwritten => {
    const known = tenants.get(tenantId)
    if (known) return known
    const unwritten: Unwritten = { counts: new Map(), pairs: 0, waits: new Map() }
    tenants.set(tenantId, unwritten)
    return unwritten
  }

  const countsOf = (tenantId: string, keyId: string, projectId: string): Counts | undefined => {
    const unwritten = of(tenantId)
    let ofKey = unwritten.counts.get(keyId)
    const known = ofKey?.get(projectId)
    if (known || counted >= maxCounted) return known
    if (!ofKey) {
      ofKey = new Map()
      unwritten.counts.set(keyId, ofKey)
    }
    const made: Counts = { requests: 0, writes: 0, changes: 0, refused: new Map() }
    ofKey.set(projectId, made)
    unwritten.pairs += 1
    counted += 1
    return made
  }

  const rowsOf = ({ counts }: Unwritten, nowMs: number): CountRow[] => {
    const rows: CountRow[] = []
    for (const [key_id, ofKey] of counts)
      for (const [project_id, counted] of ofKey)
        for (const [metric, value] of metricsOf(counted))
          for (const span of spans.filter((each) => isCountedBy(each, metric)))
            rows.push({ span, starts_at: startOf(span, nowMs), key_id, project_id, metric, value })
    // Nodes that write the same rows do so in one order, and so never wait for each other in a circle.
    return rows.sort((a, b) => (rowOrder(a) < rowOrder(b) ? -1 : 1))
  }

  const putBack = (tenantId: string, unwritten: Unwritten): void => {
    for (const [keyId, ofKey] of unwritten.counts) {
      for (const [projectId, { requests, writes, changes, refused }] of ofKey) {
        const counts = countsOf(tenantId, keyId, projectId)
        if (!counts) continue
        counts.requests += requests
        counts.writes += writes
        counts.changes += changes
        for (const [status, count] of refused) addRefused(counts, status, count)
      }
    }
    const { waits } = of(tenantId)
    for (const [name, untilMs] of unwritten.waits)
      if (waits.size < maxWaits && untilMs > (waits.get(name) ?? 0)) waits.set(name, untilMs)
  }

  const writeCounted = async (tenantId: string): Promise<void> => {
    const unwritten = tenants.get(tenantId)
    if (!unwritten) return
    tenants.delete(tenantId)
    counted -= unwritten.pairs
    const rows = rowsOf(unwritten, clock())
    const waits = [...unwritten.waits].map(([name, waits_until]) => {
      const [key_id, worker] = JSON.parse(name) as [string, string]
      return { key_id, worker, waits_until }
    })
    if (rows.length === 0 && waits.length === 0) return
    try {
      await db.ofTenant(tenantId).transaction(async (tx) => {
        for (let at = 0; at < rows.length; at += rowsPerWrite)
          await addCounts(tx, tenantId, rows.slice(at, at + rowsPerWrite))
        if (waits.length > 0) await saveWaits(tx, tenantId, waits)
      })
    } catch (error) {
      putBack(tenantId, unwritten)
      throw error
    }
  }

  /** Ends after what is being written already, so that a read which follows finds all that was counted. */
  const write = (tenantId: string): Promise<void> => {
    const writing = (underWay.get(tenantId) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => writeCounted(tenantId))
    const forget = (): void => {
      if (underWay.get(tenantId) === writing) underWay.delete(tenantId)
    }
    underWay.set(tenantId, writing)
    writing.then(forget, forget)
    return writing
  }

  return {
    countRequest: ({ tenantId, keyId }, { isWrite, changes = 0, projectId = '', status: toldStatus }, answered) => {
      const status = toldStatus ?? answered
      const counts = countsOf(tenantId, keyId, projectId)
      if (!counts) return
      counts.requests += 1
      if (status >= 400) addRefused(counts, status, 1)
      else {
        if (isWrite) counts.writes += 1
        counts.changes += changes
      }
    },
    noteWait: ({ tenantId, keyId }, worker, untilMs) => {
      const name = JSON.stringify([keyId, worker ?? ''])
      if (untilMs - (knownWaits.get(name) ?? 0) < minExtensionMs) return
      if (knownWaits.size >= maxWaits) knownWaits.clear()
      knownWaits.set(name, untilMs)
      const { waits } = of(tenantId)
      if (waits.size < maxWaits) waits.set(name, untilMs)
    },
    flush: async (tenantId) => {
      const written = await Promise.allSettled((tenantId === undefined ? [...tenants.keys()] : [tenantId]).map(write))
      const failed = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
      if (failed) throw failed.reason
    },
  }
}

/** Removes what is older than it is kept. */
export const trimUsage = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn(tenantIds, async (tenantId) => {
    for (const span of spans) {
      const beforeMs = startOf(span, nowMs - keptMs[span])
      while ((await deleteCounts(db, tenantId, span, beforeMs, rowsPerStep)) === rowsPerStep);
    }
    await deleteWaits(db, tenantId, nowMs)
  })
}
