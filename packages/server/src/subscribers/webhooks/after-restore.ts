import type { Sql } from '../../db/port.js'
import { failPendingDeliveries } from './delivery/store.js'
import { moveToLogEnd } from './store.js'

/**
 * Webhooks continue from the end of the log. What was pending when the backup was made was most likely delivered since,
 * and its events are gone: it is not sent again. Failures from back then say nothing about the receiver now.
 */
export const settleDeliveries = async (tx: Sql, tenantId: string): Promise<void> => {
  await moveToLogEnd(tx, tenantId)
  await failPendingDeliveries(tx, tenantId, 'not sent: the store was restored from a backup')
}
