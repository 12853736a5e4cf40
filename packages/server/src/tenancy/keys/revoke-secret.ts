import { hashSecret, isPlausibleSecret } from '../../base/secret.js'
import { audit } from '../../changelog/audit/service.js'
import { keysTopic } from '../../db/topics.js'
import { type Call, changing } from '../../operations/call.js'
import type { Hooks } from '../../operations/hooks.js'
import { ownAccess } from './access.js'
import { identityOf } from './authenticator.js'
import { endKey } from './service.js'
import { endSecret, findKey, findSecretOwner, holdKey } from './store.js'

/**
 * Ends a key for whoever holds its secret, as a finder of a leaked one does. A secret that was rotated out already ends
 * alone: the key's new one did not leak. Says nothing of whether there was such a key.
 */
export const revokeSecret = async (
  { db, clock, origin }: Pick<Call, 'db' | 'clock' | 'origin'>,
  hooks: Hooks,
  secret: string,
): Promise<void> => {
  const hash = hashSecret(secret)
  const owner = isPlausibleSecret(secret) ? await findSecretOwner(db, hash) : undefined
  if (!owner) return
  const { actor } = identityOf(owner, ownAccess, hash)
  const { tenantId, keyId } = actor
  await changing({ db, clock, origin, actor }, async (call) => {
    const key = await findKey(call.db, tenantId, keyId, 'forUpdate')
    const held = key && (await holdKey(call.db, actor))
    if (!key || !held) return
    if (held.secret_expires_at === null) {
      await endKey(call, hooks, key)
      return
    }
    if (held.secret_expires_at <= clock()) return
    await endSecret(call.db, tenantId, keyId, hash, clock())
    await audit(call, 'key.secret_revoked', { subject: keyId })
    call.db.announce(keysTopic(tenantId))
  })
}
