import type { Db } from '../../../db/port.js'
import { eachInTurn } from '../../../scheduling/each-in-turn.js'
import { deleteEndedSessions, deleteExpiredLinks } from './store.js'

/** Removes ended sessions and expired links. */
export const trimSessions = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn(tenantIds, async (tenantId) => {
    await deleteEndedSessions(db, tenantId, nowMs)
    await deleteExpiredLinks(db, tenantId, nowMs)
  })
}
