import { AppError, invalid } from '../../base/errors.js'
import type { EventFilter } from '../../changelog/event-types.js'
import type { Sql } from '../../db/port.js'
import {
  findEvent,
  findLastCandidate,
  findLogEnds,
  findTimeFrom,
  listEvents,
  listEventsBackwards,
  type NewestFilter,
  type StoredEvent,
} from './log-store.js'
import { sequenceGap } from './maintenance.js'

export type { NewestFilter, StoredEvent } from './log-store.js'

/** The matching events of a part of the log, and how far it was read. */
export interface EventPage {
  events: StoredEvent[]
  /** Everything up to here was read, matching or not. */
  upTo: number
  /** Whether the log had more when it was read. */
  hasMore: boolean
}

/** At most so much of the log is scanned for matching events in one read. */
const sequencesPerRead = 20_000

const gone = (message: string, oldest: number): AppError => new AppError('trimmed', message, { oldest })

/** Refuses to read on from where events are missing. */
const expectComplete = (after: number, { oldest, newest }: { oldest: number; newest: number }): void => {
  if (after < oldest - 1) {
    throw gone(
      `Events up to ${oldest - 1} are no longer retained, so the events after ${after} are incomplete.`,
      oldest,
    )
  }
  // Only a restore takes a log as far as this, and another one may have taken it further.
  if (after > newest && newest >= sequenceGap) {
    throw gone(`Position ${after} is from before a restore from backup; the newest event is now ${newest}.`, oldest)
  }
}

/** The oldest event left, where an error says that a position was trimmed. */
export const trimmedTo = (error: unknown): number | undefined =>
  error instanceof AppError && error.code === 'GONE' ? (error.params.oldest as number) : undefined

/** A place in the log to read from: after a sequence, from the oldest event kept, or from now on. */
export type Start = number | 'oldest' | 'latest'

/** The sequence to read after. Refuses one that is trimmed, and one that the log has not come to. */
export const resolveStart = async (db: Sql, tenantId: string, start: Start): Promise<number> => {
  const ends = await findLogEnds(db, tenantId)
  if (start === 'oldest') return ends.oldest - 1
  if (start === 'latest') return ends.newest
  expectComplete(start, ends)
  if (start > ends.newest) throw invalid({ path: 'after', message: `is beyond the newest event, ${ends.newest}` })
  return start
}

/** Reads on after a sequence. Events are visible in their order, so nothing at or below `upTo` can still appear. */
export const readEventPage = async (
  db: Sql,
  tenantId: string,
  after: number,
  filter: EventFilter,
  limit: number,
): Promise<EventPage> => {
  const ends = await findLogEnds(db, tenantId)
  expectComplete(after, ends)
  const { newest } = ends
  const end = Math.min(newest, after + sequencesPerRead)
  if (end <= after || filter.types?.length === 0) return { events: [], upTo: Math.max(after, newest), hasMore: false }
  const events = await listEvents(db, tenantId, [after, end], filter, limit)
  const upTo = events.length === limit ? events.at(-1)!.sequence : end
  return { events, upTo, hasMore: upTo < newest }
}

/** The newest event of a tenant. */
export const newestSequence = async (db: Sql, tenantId: string): Promise<number> =>
  (await findLogEnds(db, tenantId)).newest

/** An event by its place; undefined where it is no longer kept. */
export const eventAt = (db: Sql, tenantId: string, sequence: number): Promise<StoredEvent | undefined> =>
  findEvent(db, tenantId, sequence)

export interface BackwardPage {
  events: StoredEvent[]
  /** Where to go on; null at the oldest event that is kept. */
  nextBefore: number | null
  /** The newest event of the log. */
  newest: number
}

/** Clocks of nodes differ by less. */
const clockToleranceMs = 60_000

/** The first sequence from a time on, within a range: but for what clocks differ, events are in the order of time. */
const sequenceAt = async (db: Sql, tenantId: string, timeMs: number, from: number, end: number): Promise<number> => {
  let low = from
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const createdAt = await findTimeFrom(db, tenantId, middle)
    if (createdAt === null || createdAt >= timeMs) high = middle
    else low = middle + 1
  }
  return low
}

/** Reads back from before a sequence, or from the newest event. A page may be short where few of the log match. */
export const readBackwards = async (
  db: Sql,
  tenantId: string,
  before: number | undefined,
  filter: NewestFilter,
  limit: number,
): Promise<BackwardPage> => {
  const { oldest, newest } = await findLogEnds(db, tenantId)
  if (filter.types?.length === 0) return { events: [], nextBefore: null, newest }
  const end = Math.min(before ?? newest + 1, newest + 1)
  const { sinceMs, untilMs } = filter
  const at = (ms: number) => sequenceAt(db, tenantId, ms, oldest, end)
  const first = sinceMs === undefined ? oldest : await at(sinceMs - clockToleranceMs)
  const last = untilMs === undefined ? end : await at(untilMs + clockToleranceMs)
  const range = [first - 1, last] as const
  const events = await listEventsBackwards(db, tenantId, range, filter, sequencesPerRead, limit + 1)
  if (events.length > limit) {
    return { events: events.slice(0, limit), nextBefore: events[limit - 1]!.sequence, newest }
  }
  const nextBefore = await findLastCandidate(db, tenantId, range, filter, sequencesPerRead)
  return { events, nextBefore, newest }
}
