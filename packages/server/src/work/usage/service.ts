import { isoTime } from '../../base/clock.js'
import { parseMoment } from '../../base/dates.js'
import { invalid } from '../../base/errors.js'
import {
  type CountGroup,
  keptMs,
  listMinutes,
  listWaits,
  type Span,
  spanMs,
  startOf,
  sumCounts,
} from '../../limits/usage/usage.js'
import type { OperationCall } from '../../operations/operation.js'
import { projectIdNamed } from '../../tenancy/projects/service.js'
import { finishedOutcomes } from '../tasks/claims/ended.js'
import {
  countEnded,
  countFinishedForOthers,
  type EndedFilter,
  type EndedGroup,
  medianDurations,
} from '../tasks/claims/ended-service.js'
import {
  type ClaimCounts,
  recentMinutes,
  type Usage,
  type UsageQuery,
  type UsageRow,
  type WorkerUsage,
} from './schema.js'

const maxRows = 1_000
const maxWorkers = 100
const maxWaits = 10_000

type By = NonNullable<UsageQuery['by']>

const noClaims = (): ClaimCounts => ({ ended: 0, finished: 0, released: 0, expired: 0, medianSeconds: null })

const countGroups: Record<By, CountGroup> = {
  key: 'key_id',
  project: 'project_id',
  day: 'starts_at',
  hour: 'starts_at',
}
const endedGroups: Record<By, EndedGroup> = {
  key: 'key_id',
  project: 'project_id',
  day: spanMs.day,
  hour: spanMs.hour,
}

const isFinished = (outcome: string): boolean => (finishedOutcomes as readonly string[]).includes(outcome)

interface NamedClaims {
  name: string | number
  worker: string | null
  claims: ClaimCounts
  /** When the first of them began. */
  firstAtMs: number
  lastSeenAtMs: number | null
}

/** How claims ended, by a name of theirs. What another key finished is not credited to the holder. */
const claimsBy = async (
  { db, actor: { tenantId } }: OperationCall,
  group: EndedGroup,
  filter: EndedFilter,
): Promise<NamedClaims[]> => {
  const found = new Map<string, NamedClaims>()
  const of = (name: string | number, worker: string | null): NamedClaims => {
    const id = JSON.stringify([name, worker])
    const known = found.get(id)
    if (known) return known
    const made = { name, worker, claims: noClaims(), firstAtMs: Number.MAX_SAFE_INTEGER, lastSeenAtMs: null }
    found.set(id, made)
    return made
  }
  const isByKey = group === 'key_id' || group === 'worker' || filter.keyId !== undefined
  for (const { name, worker, outcome, count, ...row } of await countEnded(db, tenantId, group, filter)) {
    const named = of(name, worker)
    const { claims } = named
    claims.ended += count
    if (isFinished(outcome) && !(isByKey && row.by_other)) claims.finished += count
    if (outcome === 'expired' || (outcome === 'released' && !row.by_other)) claims[outcome] += count
    named.firstAtMs = Math.min(named.firstAtMs, row.first_at)
    if (row.seen_at !== null) named.lastSeenAtMs = Math.max(named.lastSeenAtMs ?? 0, row.seen_at)
  }
  if (isByKey && group !== 'worker') {
    for (const { name, count } of await countFinishedForOthers(db, tenantId, group, filter))
      of(name, null).claims.finished += count
  }
  for (const { name, worker, ms } of await medianDurations(db, tenantId, group, filter)) {
    of(name, worker).claims.medianSeconds = ms / 1_000
  }
  return [...found.values()]
}

const emptyRow = (by: By, name: string | number): UsageRow => ({
  keyId: by === 'key' ? String(name) : null,
  projectId: by === 'project' ? String(name) || null : null,
  at: typeof name === 'number' ? isoTime(name) : null,
  requests: 0,
  writes: 0,
  changes: 0,
  recentChanges: by === 'key' ? new Array<number>(recentMinutes).fill(0) : [],
  refused: {},
  firstAt: null,
  claims: noClaims(),
  waitsUntil: null,
  workers: [],
})

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)

/** Adds the workers of each key: those whose claims ended, and those that wait for a task. */
const addWorkers = async (call: OperationCall, rowOf: (keyId: string) => UsageRow, filter: EndedFilter) => {
  const { db, actor, clock } = call
  const workers = new Map<string, WorkerUsage>()
  const workerOf = (keyId: string, worker: string | null): WorkerUsage | undefined => {
    const id = JSON.stringify([keyId, worker])
    const known = workers.get(id)
    const row = rowOf(keyId)
    if (known || row.workers.length >= maxWorkers) return known
    const made: WorkerUsage = { worker, waitsUntil: null, firstAt: null, lastSeenAt: null, claims: noClaims() }
    workers.set(id, made)
    row.workers.push(made)
    return made
  }
  for (const { key_id, worker, waits_until } of await listWaits(db, actor.tenantId, clock(), maxWaits)) {
    if (filter.keyId !== undefined && key_id !== filter.keyId) continue
    const row = rowOf(key_id)
    const until = isoTime(waits_until)
    row.waitsUntil = later(row.waitsUntil, until)
    const waiting = workerOf(key_id, worker || null)
    if (waiting) {
      waiting.waitsUntil = until
      waiting.lastSeenAt = isoTime(clock())
    }
  }
  for (const { name, worker, claims, firstAtMs, lastSeenAtMs } of await claimsBy(call, 'worker', filter)) {
    const known = workerOf(String(name), worker)
    if (!known) continue
    known.claims = claims
    known.firstAt = isoTime(Math.max(firstAtMs, filter.sinceMs))
    if (lastSeenAtMs !== null) known.lastSeenAt = later(known.lastSeenAt, isoTime(lastSeenAtMs))
  }
}

/** Adds what each key changed in each of the last minutes. */
const addRecentChanges = async (
  { db, actor, clock }: OperationCall,
  rowOf: (keyId: string) => UsageRow,
  filter: Pick<EndedFilter, 'keyId' | 'projectId'>,
): Promise<void> => {
  const sinceMs = startOf('minute', clock()) - (recentMinutes - 1) * spanMs.minute
  for (const { key_id, starts_at, changes } of await listMinutes(db, actor.tenantId, { ...filter, sinceMs })) {
    const minute = (starts_at - sinceMs) / spanMs.minute
    if (minute < recentMinutes) rowOf(key_id).recentChanges[minute] = changes
  }
}

const sinceOf = (by: By, since: string | undefined, nowMs: number): number => {
  const defaultMs = nowMs - (by === 'day' ? keptMs.day : spanMs.day)
  if (since === undefined) return defaultMs
  const moment = parseMoment(since)
  if (!moment) throw invalid({ path: 'since', message: 'must be a valid date, or a timestamp with a time zone' })
  if (moment.ms > nowMs) throw invalid({ path: 'since', message: 'must not be in the future' })
  return Math.max(moment.ms, nowMs - keptMs[by === 'hour' ? 'hour' : 'day'])
}

/** What keys did since a time. */
export const readUsage = async (call: OperationCall, query: UsageQuery): Promise<Usage> => {
  const { db, actor, core } = call
  const { by = 'key', keyId } = query
  const nowMs = call.clock()
  const sinceMs = sinceOf(by, query.since, nowMs)
  const projectId = query.projectId === undefined ? undefined : await projectIdNamed(call, query.projectId)
  // Counts of other nodes are a few seconds old; those of this one need not be.
  await core.usage.flush(actor.tenantId)
  const span: Span = by === 'day' || sinceMs < nowMs - keptMs.hour ? 'day' : 'hour'
  const rows = new Map<string | number, UsageRow>()
  const rowOf = (name: string | number): UsageRow => rows.get(name) ?? rows.set(name, emptyRow(by, name)).get(name)!

  const counted = { span, sinceMs: startOf(span, sinceMs), keyId, projectId }
  for (const { name, metric, value, first_at } of await sumCounts(db, actor.tenantId, countGroups[by], counted)) {
    const row = rowOf(name)
    const firstAt = isoTime(first_at)
    if (row.firstAt === null || firstAt < row.firstAt) row.firstAt = firstAt
    if (metric === 'requests' || metric === 'writes' || metric === 'changes') row[metric] = value
    else row.refused[metric.slice('refused.'.length)] = value
  }
  const ended: EndedFilter = { sinceMs, keyId, projectId }
  for (const { name, claims, firstAtMs } of await claimsBy(call, endedGroups[by], ended)) {
    const row = rowOf(name)
    row.claims = claims
    // Exact, as for its workers, where the hour or day of the first request is not.
    if (claims.ended > 0) row.firstAt = isoTime(Math.max(firstAtMs, sinceMs))
  }
  if (by === 'key') {
    await addWorkers(call, rowOf, ended)
    await addRecentChanges(call, rowOf, { keyId, projectId })
  }

  const isOverTime = by === 'day' || by === 'hour'
  const order = (a: UsageRow, b: UsageRow): number =>
    isOverTime ? (a.at! < b.at! ? -1 : 1) : b.requests - a.requests || b.claims.ended - a.claims.ended
  return { since: isoTime(sinceMs), rows: [...rows.values()].sort(order).slice(0, maxRows) }
}
