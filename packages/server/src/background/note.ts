import type { DueTime } from '../db/known-due-times.js'
import type { Sql, Statement } from '../db/port.js'
import { dueWorkTopic } from '../db/topics.js'
import { insertDue } from './store.js'

export { listTenantsWith } from './store.js'

/** Times that are further away are rounded down, so that many changes share a row; the look then notes the exact one. */
const exactForMs = 60_000
const roundedToMs = 5_000

/**
 * Notes that a tenant has work at a time, in the transaction that makes it due; no statement is needed where the store is
 * known to have an earlier time.
 */
export const noteDue = (db: Sql, time: DueTime, nowMs: number): Statement[] => {
  if (db.dueTimes.covers(time, nowMs)) return []
  if (time.dueAtMs <= nowMs) db.announce(dueWorkTopic)
  const isFar = time.dueAtMs - nowMs > exactForMs
  return [insertDue(isFar ? { ...time, dueAtMs: time.dueAtMs - (time.dueAtMs % roundedToMs) } : time)]
}
