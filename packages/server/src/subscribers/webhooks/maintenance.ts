import { timedIdFloor } from '../../base/ids.js'
import type { ErasedTexts } from '../../db/erased-texts.js'
import type { Db, Sql } from '../../db/port.js'
import type { Call } from '../../operations/call.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import { listTenantIds } from '../../tenancy/tenants/service.js'
import * as deliveries from './delivery/store.js'
import { listWebhookIds, moveToLogEnd } from './store.js'

/** A step is short, so that writers wait for none. */
const trimmedPerStep = 1_000

/** Deletes settled deliveries from before a time, for all tenants. */
export const trimDeliveries = async (db: Db, beforeMs: number): Promise<void> => {
  const beforeId = timedIdFloor('dlv', beforeMs)
  await eachInTurn(await listTenantIds(db), async (tenantId) => {
    for (const webhookId of await listWebhookIds(db, tenantId)) {
      for (let deleted = trimmedPerStep; deleted === trimmedPerStep; ) {
        deleted = await deliveries.deleteSettledBefore(db, tenantId, webhookId, beforeId, trimmedPerStep)
      }
    }
  })
}

/** Erasing a person also deletes the receiver's responses, which may repeat payloads that name the person. */
export const erasedDeliveries: ErasedTexts = {
  table: 'webhook_deliveries',
  key: ['webhook_id', 'id'],
  start: ['', ''],
  texts: ['payload', 'response_body'],
  rowsPerStep: 100,
  redacted: ({ payload }, person) => ({ payload: payload ? person.redacted(payload) : null, response_body: null }),
}

/** Takes purged records out of the deliveries of their events. */
export const redactDeliveries = ({ db, actor }: Call, sequences: readonly number[]): Promise<void> =>
  deliveries.redactDeliveries(db, actor.tenantId, sequences)

/**
 * Webhooks continue from the end of the log. What was pending when the backup was made was most likely delivered since,
 * and its events are gone: it is not sent again. Failures from back then say nothing about the receiver now.
 */
export const settleDeliveries = async (tx: Sql, tenantId: string): Promise<void> => {
  await moveToLogEnd(tx, tenantId)
  await deliveries.failPendingDeliveries(tx, tenantId, 'not sent: the store was restored from a backup')
}
