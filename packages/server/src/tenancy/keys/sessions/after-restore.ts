import type { Sql } from '../../../db/port.js'
import { deleteLinks, deleteSessions } from './store.js'

/** Ends all sessions: some of those in a backup were ended since. */
export const endSessions = async (tx: Sql, tenantId: string): Promise<void> => {
  await deleteSessions(tx, tenantId)
  await deleteLinks(tx, tenantId)
}
