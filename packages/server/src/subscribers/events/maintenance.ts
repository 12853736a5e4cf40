import { randomInt } from 'node:crypto'
import type { Db, Sql } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import { listTenantIds } from '../../tenancy/tenants/service.js'
import { deleteEvents, deleteEventsUpTo, findLastExpired, raiseSequence } from './log-store.js'

/** Small steps keep writers from waiting. */
const eventsPerStep = 1_000

const trimTenant = async (db: Db, tenantId: string, beforeMs: number): Promise<void> => {
  for (let deleted = eventsPerStep; deleted === eventsPerStep; ) {
    const last = await findLastExpired(db, tenantId, beforeMs, eventsPerStep)
    if (last === null) return
    deleted = await db.transaction((tx) => deleteEventsUpTo(tx, tenantId, last), tenantId)
  }
}

/** Deletes events from before a time, for all tenants. */
export const trimEvents = async (db: Db, beforeMs: number): Promise<void> => {
  await eachInTurn(await listTenantIds(db), (tenantId) => trimTenant(db, tenantId, beforeMs))
}

/** More than any tenant writes between a backup and its restore. */
export const sequenceGap = 1_000_000_000

/** With ten thousand of them a sequence still has the fifteen digits that a reader may send. */
export const largestGap = 100_000_000_000

/**
 * Empties the log and continues numbering far above every sequence that may have been given out, so that no reader
 * mistakes a new event for one it has seen: an older position gets GONE. By a random amount, since another
 * restore of the same backup starts from the same sequence.
 */
export const restartLog = async (tx: Sql, tenantId: string, highestSequence: number): Promise<void> => {
  await raiseSequence(tx, tenantId, highestSequence, randomInt(sequenceGap, largestGap))
  await deleteEvents(tx, tenantId)
}
