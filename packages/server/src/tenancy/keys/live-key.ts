import type { Actor } from '../../operations/actor.js'
import { requireScope } from '../../operations/admission.js'
import { type Call, changing } from '../../operations/call.js'
import { accessOf } from './access.js'
import { accepted, identityOf } from './authenticator.js'
import { holdSession } from './sessions/live-session.js'
import { holdKey } from './store.js'

/** The caller as its key is now, with its user's roles as they were told; throws where the key has ended. */
export const liveActor = async (call: Call): Promise<Actor> => {
  const { db, clock, actor, origin } = call
  // The operator and the service itself have no key. Every request has an id, whatever interface it says to come through.
  if (origin.requestId === null) return actor
  const { tenantId, sessionId, secretHash, userId, access, tokenExpiresAt } = actor
  const session = sessionId === undefined ? undefined : await holdSession(db, clock, tenantId, sessionId)
  const held = await holdKey(db, actor)
  const endsAtMs = session ? session.endsAtMs : tokenExpiresAt
  const owner = held && { ...held, plan: '', ...(endsAtMs !== undefined && { secret_expires_at: endsAtMs }) }
  const known = access && owner?.user_id === userId ? access : owner && (await accessOf(db, owner))
  const identity = owner && identityOf(owner, known!, secretHash)
  const live = accepted(owner, identity, clock(), origin.address ?? undefined).actor
  return { ...live, sessionId, ...(tokenExpiresAt !== undefined && { tokenExpiresAt }) }
}

/** A call with its key and its user's roles as they are in the call's transaction; throws where the key has ended. */
export const asLiveKey = async (call: Call): Promise<Call> => {
  const { access: _, ...actor } = call.actor
  return { ...call, actor: await liveActor({ ...call, actor }) }
}

/**
 * Changes what outlasts the request in a way that matters to security. What an interface knew of the key may be seconds old,
 * so it is read again in the transaction of the change, and its revocation or rotation waits until that has ended.
 */
export const changingAsAdmin = <T>(call: Call, work: (call: Call) => Promise<T>): Promise<T> =>
  changing(call, async (call) => {
    const live = await asLiveKey(call)
    requireScope(live.actor, 'admin')
    return work(live)
  })
