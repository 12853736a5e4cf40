import type { Clock } from '../clock.js'
import type { Sql } from '../db/port.js'
import { liveSession } from '../sessions/live-session.js'
import { accepted, type Identity, identityOf, unauthorized } from './authenticator.js'
import { findKeyOwner } from './store.js'

/** A key as it was when something that stands for it was issued. */
export interface KeyRef {
  tenantId: string
  keyId: string
  secretPrefix: string
  /** The session that it was issued to, where it was one. */
  sessionId?: string | undefined
}

const freshForMs = 1_000

/** Tells who a key is now, for whoever does not hold its secret. Throws once it has ended, or was rotated, or the session has. */
export const createKeyWatch = (
  db: Sql,
  clock: Clock,
  { tenantId, keyId, secretPrefix, sessionId }: KeyRef,
  address: string | undefined,
) => {
  let known: Identity | undefined
  let staleAtMs = 0
  return async (): Promise<Identity> => {
    if (known && performance.now() < staleAtMs) return known
    const owner = await findKeyOwner(db, tenantId, keyId)
    const identity = accepted(owner, owner && identityOf(owner), clock(), address)
    if (sessionId === undefined && owner?.prefix !== secretPrefix) throw unauthorized('expired')
    if (sessionId !== undefined) await liveSession(db, clock, tenantId, sessionId)
    known = { ...identity, actor: { ...identity.actor, sessionId } }
    staleAtMs = performance.now() + freshForMs
    return known
  }
}
