import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import type { ReencryptAll, SecretBox } from '../../db/secrets/service.js'
import { operatorCall } from '../../operations/call.js'
import { listTenants } from '../../tenancy/tenants/service.js'
import { newSigningSecret, secretPlace, urlPlace } from './delivery/signature.js'
import { disableWebhook } from './service.js'
import * as store from './store.js'

/** One transaction a tenant, so that writers wait for none of them long. */
export const reencryptWebhookSecrets: ReencryptAll = async (db, reencrypt) => {
  let count = 0
  for (const { id: tenantId } of await listTenants(db)) {
    count += await db.transaction(async (tx) => {
      let changed = 0
      for (const { webhookId, secret } of await store.listSecrets(tx, tenantId)) {
        const next = await reencrypt(tx, secretPlace(tenantId, webhookId), secret)
        if (next !== undefined) changed += await store.replaceSecret(tx, tenantId, webhookId, secret, next)
      }
      for (const { webhookId, sealedUrl } of await store.listSealedUrls(tx, tenantId)) {
        const next = await reencrypt(tx, urlPlace(tenantId, webhookId), sealedUrl)
        if (next === undefined) continue
        await store.setSealedUrl(tx, tenantId, webhookId, next)
        changed++
      }
      return changed
    }, tenantId)
  }
  return count
}

const lostReason = 'The secret was lost. Rotate it with POST …/rotate-secret, then enable the webhook.'
const lostUrlReason = 'The URL was lost. Set it again, then enable the webhook.'

/**
 * Gives webhooks whose secret cannot be decrypted a new one, which nobody knows yet, and turns them off; so are those
 * whose URL cannot be decrypted.
 */
export const replaceLostSecrets = async (db: Db, clock: Clock, box: SecretBox): Promise<number> => {
  let count = 0
  for (const { id: tenantId } of await listTenants(db)) {
    count += await db.transaction(async (tx) => {
      const secrets = await store.listSecrets(tx, tenantId)
      const lost = secrets.filter(({ webhookId, secret }) => !box.canOpen(secretPlace(tenantId, webhookId), secret))
      for (const webhookId of new Set(lost.map(({ webhookId }) => webhookId))) {
        const fresh = await box.seal(tx, secretPlace(tenantId, webhookId), newSigningSecret())
        await store.deleteSecrets(tx, tenantId, webhookId)
        await store.insertSecret(tx, tenantId, webhookId, fresh, clock())
      }
      const lostUrls = (await store.listSealedUrls(tx, tenantId)).filter(
        ({ webhookId, sealedUrl }) => !box.canOpen(urlPlace(tenantId, webhookId), sealedUrl),
      )
      for (const { webhookId } of lostUrls) await store.setSealedUrl(tx, tenantId, webhookId, null)
      const reasons = new Map([
        ...lost.map(({ webhookId }) => [webhookId, lostReason] as const),
        ...lostUrls.map(({ webhookId }) => [webhookId, lostUrlReason] as const),
      ])
      for (const [webhookId, reason] of reasons) {
        await disableWebhook(operatorCall(tx, clock, tenantId), webhookId, reason)
      }
      return reasons.size
    }, tenantId)
  }
  return count
}
