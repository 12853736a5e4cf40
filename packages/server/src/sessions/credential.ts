import type { Clock } from '../clock.js'
import { type CredentialKind, identityOf } from '../keys/authenticator.js'
import { hashSecret } from '../keys/secret.js'
import { keyOwner } from '../keys/service.js'
import { sessionEnded } from './errors.js'
import { type Halves, isSameHash, type SessionRef, sessionNamed } from './secret.js'
import { findSession } from './store.js'

interface Fingerprint extends SessionRef {
  cookieHash: string
  secretHash: string
}

/** Both halves as one text, as the authenticator takes it. */
export const credentialOf = ({ cookie, secret }: Halves): string => `${cookie} ${secret}`

/** The two halves of a session of the web console; neither is worth anything alone. */
export const sessionCredential = (clock: Clock): CredentialKind => ({
  fingerprintOf: (credential = '') => {
    const at = credential.indexOf(' ')
    const [cookie, secret] = [credential.slice(0, at), credential.slice(at + 1)]
    const named = sessionNamed({ cookie, secret })
    if (!named) throw sessionEnded()
    const fingerprint: Fingerprint = { ...named, cookieHash: hashSecret(cookie), secretHash: hashSecret(secret) }
    return JSON.stringify(fingerprint)
  },
  find: async (db, text) => {
    const { tenantId, sessionId, cookieHash, secretHash } = JSON.parse(text) as Fingerprint
    const session = await findSession(db, tenantId, sessionId, clock())
    const isCookieRight = isSameHash(session?.cookieHash ?? '', cookieHash)
    const isSecretRight = isSameHash(session?.secretHash ?? '', secretHash)
    if (!session || !isCookieRight || !isSecretRight) return undefined
    const key = await keyOwner(db, tenantId, session.keyId)
    if (!key) return undefined
    const owner = { ...key, secret_expires_at: session.endsAtMs }
    const { plan, actor } = identityOf(owner)
    return { owner, identity: { plan, actor: { ...actor, sessionId } } }
  },
  unknown: sessionEnded,
})
