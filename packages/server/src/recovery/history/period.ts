import { timeOf } from '../../base/dates.js'
import { invalid } from '../../base/errors.js'
import type { Sql } from '../../db/port.js'
import { firstFrom, lastSequence } from './store.js'

/** A part of the history by its times: from `sinceMs` on and before `untilMs`. */
export interface Period {
  sinceMs: number
  untilMs: number
}

export const periodOf = ({ since, until }: { since?: string; until?: string }, nowMs: number): Period => {
  const period = { sinceMs: timeOf('since', since) ?? 0, untilMs: timeOf('until', until) ?? Number.MAX_SAFE_INTEGER }
  if (period.sinceMs > nowMs) throw invalid({ path: 'since', message: 'must not be in the future' })
  if (period.sinceMs >= period.untilMs) throw invalid({ path: 'until', message: 'must be after since' })
  return period
}

/** Clocks of nodes differ by less. */
const clockToleranceMs = 60_000

/** The first sequence whose change was made at a time or later: changes are numbered in the order of their times. */
const sequenceAt = async (db: Sql, tenantId: string, ms: number): Promise<number> => {
  let [low, high] = [0, (await lastSequence(db, tenantId)) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = await firstFrom(db, tenantId, middle)
    if (!row || row.created_at >= ms) high = middle
    else low = row.sequence + 1
  }
  return low
}

/** Sequences that the changes of a period lie between; the times of changes tell the rest. */
export const sequencesOf = async (
  db: Sql,
  tenantId: string,
  { sinceMs, untilMs }: Period,
): Promise<{ from: number; end: number }> => ({
  from: sinceMs === 0 ? 0 : await sequenceAt(db, tenantId, sinceMs - clockToleranceMs),
  end:
    untilMs === Number.MAX_SAFE_INTEGER
      ? Number.MAX_SAFE_INTEGER
      : await sequenceAt(db, tenantId, untilMs + clockToleranceMs),
})

export const isWithin = ({ sinceMs, untilMs }: Period, atMs: number): boolean => atMs >= sinceMs && atMs < untilMs
