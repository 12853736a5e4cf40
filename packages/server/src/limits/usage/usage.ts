import type { Clock } from '../../base/clock.js'
import type { AgedRows } from '../../db/aged-rows.js'
import type { Db } from '../../db/port.js'
import { createWriteBehind } from '../../scheduling/write-behind.js'
import { addCounts, type CountRow, type Span, saveWaits } from './store.js'

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
const countsPerWrite = 100

interface Counts {
  keyId: string
  projectId: string
  requests: number
  writes: number
  changes: number
  /** By status. */
  refused: Map<number, number>
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

const rowsOf = (counts: Counts, nowMs: number): CountRow[] => {
  const { keyId: key_id, projectId: project_id } = counts
  return metricsOf(counts).flatMap(([metric, value]) =>
    spans
      .filter((span) => isCountedBy(span, metric))
      .map((span) => ({ span, starts_at: startOf(span, nowMs), key_id, project_id, metric, value })),
  )
}

const sumOf = (older: Counts, newer: Counts): Counts => {
  older.requests += newer.requests
  older.writes += newer.writes
  older.changes += newer.changes
  for (const [status, count] of newer.refused) addRefused(older, status, count)
  return older
}

export const createUsage = (db: Db, clock: Clock): Usage => {
  const counts = createWriteBehind<Counts>({
    write: (tenantId, entries) => {
      const nowMs = clock()
      const rows = entries.flatMap(([, counted]) => rowsOf(counted, nowMs))
      // All nodes write rows in the same order, so that they cannot deadlock.
      rows.sort((a, b) => (rowOrder(a) < rowOrder(b) ? -1 : 1))
      return db.ofTenant(tenantId).transaction((tx) => addCounts(tx, tenantId, rows))
    },
    merge: sumOf,
    maxEntries: maxCounted,
    entriesPerWrite: countsPerWrite,
  })
  const waits = createWriteBehind<number>({
    write: (tenantId, entries) => {
      const rows = entries.map(([name, waits_until]) => {
        const [key_id, worker] = JSON.parse(name) as [string, string]
        return { key_id, worker, waits_until }
      })
      return db.ofTenant(tenantId).transaction((tx) => saveWaits(tx, tenantId, rows))
    },
    maxEntries: maxWaits,
  })
  /** Until when each wait is written or about to be. */
  const knownWaits = new Map<string, number>()

  return {
    countRequest: ({ tenantId, keyId }, { isWrite, changes = 0, projectId = '', status: toldStatus }, answered) => {
      const status = toldStatus ?? answered
      const name = keyId + projectId
      let counted = counts.get(tenantId, name)
      if (!counted) {
        counted = { keyId, projectId, requests: 0, writes: 0, changes: 0, refused: new Map() }
        if (!counts.add(tenantId, name, counted)) return
      }
      counted.requests += 1
      if (status >= 400) addRefused(counted, status, 1)
      else {
        if (isWrite) counted.writes += 1
        counted.changes += changes
      }
    },
    noteWait: ({ tenantId, keyId }, worker, untilMs) => {
      const name = JSON.stringify([keyId, worker ?? ''])
      if (untilMs - (knownWaits.get(name) ?? 0) < minExtensionMs) return
      if (knownWaits.size >= maxWaits) knownWaits.clear()
      knownWaits.set(name, untilMs)
      waits.add(tenantId, name, untilMs)
    },
    flush: async (tenantId) => {
      await Promise.all([counts.flush(tenantId), waits.flush(tenantId)])
    },
  }
}

export const agedCounts: readonly AgedRows[] = [
  ...spans.map((span) => ({
    table: 'usage_counts',
    key: ['span', 'starts_at', 'key_id', 'project_id', 'metric'],
    age: 'starts_at',
    only: `span = '${span}'`,
    upTo: (nowMs: number) => startOf(span, nowMs - keptMs[span]) - 1,
  })),
  { table: 'agent_waits', key: ['key_id', 'worker'], age: 'waits_until', upTo: (nowMs) => nowMs },
]
