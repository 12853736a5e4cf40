import type { Clock } from '../../base/clock.js'
import { accessOf } from './access.js'
import { type CredentialKind, identityOf } from './authenticator.js'
import { liveSession } from './sessions/live-session.js'
import { findKeyOwner } from './store.js'
import { unauthorized } from './unauthorized.js'

/** Identifies a key as it was when a credential that stands for it, such as a console link, was issued. */
export interface KeyRef {
  tenantId: string
  keyId: string
  secretPrefix: string
  /** The session that it was issued to, where it was one. */
  sessionId?: string | undefined
}

export const credentialOfRef = ({ tenantId, keyId, secretPrefix, sessionId }: KeyRef): string =>
  JSON.stringify({ tenantId, keyId, secretPrefix, sessionId } satisfies KeyRef)

/** For whoever does not hold a key's secret. It ends with the key, when the key is rotated, and with its session. */
export const keyRefCredential = (clock: Clock): CredentialKind => ({
  fingerprintOf: (credential = '') => credential,
  find: async (db, text) => {
    const { tenantId, keyId, secretPrefix, sessionId } = JSON.parse(text) as KeyRef
    const owner = await findKeyOwner(db, tenantId, keyId)
    if (!owner) return undefined
    const isLive = owner.revoked_at === null
    if (isLive && sessionId === undefined && owner.prefix !== secretPrefix) throw unauthorized('expired')
    if (isLive && sessionId !== undefined) await liveSession(db, clock, tenantId, sessionId)
    const { plan, actor } = identityOf(owner, await accessOf(db, owner))
    return { owner, identity: { plan, actor: { ...actor, sessionId } } }
  },
  unknown: () => unauthorized('invalid'),
})
