import type { Clock } from '../../../base/clock.js'
import { hashSecret } from '../../../base/secret.js'
import { accessOf } from '../access.js'
import { type CredentialKind, identityOf } from '../authenticator.js'
import { keyOwner } from '../service.js'
import { sessionEnded } from './errors.js'
import { isSameHash, isSessionSecret, type SentHalves, type SessionRef, sessionNamed } from './secret.js'
import { findSession } from './store.js'

interface CookieFingerprint extends SessionRef {
  cookieHash: string
}

interface Fingerprint {
  /** Of each cookie that can be one of a session. */
  cookies: CookieFingerprint[]
  secretHash: string
}

/** Other programs on the host can set cookies of the same name; each costs a look-up. */
const maxCookies = 8

/** Both halves as one text, as the authenticator takes it. */
export const credentialOf = ({ cookies, secret }: SentHalves): string => `${cookies.join()} ${secret}`

const fingerprintsOf = (cookie: string): CookieFingerprint[] => {
  const named = sessionNamed(cookie)
  return named ? [{ ...named, cookieHash: hashSecret(cookie) }] : []
}

/** The two halves of a session of the web console; neither is worth anything alone. Of several cookies the valid one counts. */
export const sessionCredential = (clock: Clock): CredentialKind => ({
  fingerprintOf: (credential = '') => {
    const at = credential.indexOf(' ')
    const [sent, secret] = [credential.slice(0, at), credential.slice(at + 1)]
    const cookies = [...new Set(sent.split(','))].flatMap(fingerprintsOf).slice(0, maxCookies)
    if (cookies.length === 0 || !isSessionSecret(secret)) throw sessionEnded()
    const fingerprint: Fingerprint = { cookies, secretHash: hashSecret(secret) }
    return JSON.stringify(fingerprint)
  },
  find: async (db, text) => {
    const { cookies, secretHash } = JSON.parse(text) as Fingerprint
    for (const { tenantId, sessionId, cookieHash } of cookies) {
      const session = await findSession(db, tenantId, sessionId, clock())
      const isCookieRight = isSameHash(session?.cookieHash ?? '', cookieHash)
      const isSecretRight = isSameHash(session?.secretHash ?? '', secretHash)
      if (!session || !isCookieRight || !isSecretRight) continue
      const key = await keyOwner(db, tenantId, session.keyId)
      if (!key) continue
      const owner = { ...key, secret_expires_at: session.endsAtMs }
      const { plan, actor } = identityOf(owner, await accessOf(db, owner))
      return { owner, identity: { plan, actor: { ...actor, sessionId, isByLink: session.isByLink } } }
    }
    return undefined
  },
  unknown: sessionEnded,
})
