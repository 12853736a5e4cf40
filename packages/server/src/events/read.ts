import type { Sql } from '../db/port.js'
import { AppError, invalid } from '../errors.js'
import { findEvent, findLogEnds, listEvents, type StoredEvent } from './store.js'
import type { EventFilter } from './types.js'

export type { StoredEvent } from './store.js'

/** A stretch of the log: the wanted events of it, and how far it was read. */
export interface Stretch {
  events: StoredEvent[]
  /** Everything up to here was read, wanted or not. */
  upTo: number
  /** Whether the log had more when it was read. */
  hasMore: boolean
}

/** So much of the log is looked through for wanted events before an answer is given, wanted or not. */
const sequencesPerRead = 20_000

const gone = (after: number, oldest: number): AppError =>
  new AppError('GONE', `Events up to ${oldest - 1} are no longer kept, so what follows ${after} is incomplete.`, {
    oldest,
    hint: `Read the records themselves anew, then go on with after=${oldest - 1}.`,
  })

/** The oldest event left, where an error says that a position was trimmed. */
export const trimmedTo = (error: unknown): number | undefined =>
  error instanceof AppError && error.code === 'GONE' ? (error.extras.oldest as number) : undefined

/** A place in the log to read from: after a sequence, from the oldest event kept, or from now on. */
export type Start = number | 'oldest' | 'latest'

/** The sequence to read after. Refuses one that is trimmed, and one that the log has not come to. */
export const resolveStart = async (db: Sql, tenantId: string, start: Start): Promise<number> => {
  const { oldest, newest } = await findLogEnds(db, tenantId)
  if (start === 'oldest') return oldest - 1
  if (start === 'latest') return newest
  if (start < oldest - 1) throw gone(start, oldest)
  if (start > newest) throw invalid({ path: 'after', message: `is ahead of the log, whose newest event is ${newest}` })
  return start
}

/** Reads on after a sequence. Events are visible in their order, so nothing at or below `upTo` can still appear. */
export const readStretch = async (
  db: Sql,
  tenantId: string,
  after: number,
  filter: EventFilter,
  limit: number,
): Promise<Stretch> => {
  const { oldest, newest } = await findLogEnds(db, tenantId)
  if (after < oldest - 1) throw gone(after, oldest)
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
