import type { Actor, Scope } from '../../operations/actor.js'
import { holdsScope } from '../../operations/actor.js'
import { missingScope } from '../../operations/admission.js'
import { type Call, changing } from '../../operations/call.js'
import { accepted, identityOf } from './authenticator.js'
import { holdSession } from './sessions/live-session.js'
import { holdKey } from './store.js'

/** The caller as its key is now; throws where the key has ended. */
export const liveActor = async ({ db, clock, actor, origin }: Call): Promise<Actor> => {
  // The operator and the service itself have no key. Every request has an id, whatever interface it says to come through.
  if (origin.requestId === null) return actor
  const { tenantId, sessionId, secretHash } = actor
  const session = sessionId === undefined ? undefined : await holdSession(db, clock, tenantId, sessionId)
  const held = await holdKey(db, actor)
  const owner = held && { ...held, plan: '', ...(session && { secret_expires_at: session.endsAtMs }) }
  const identity = owner && identityOf(owner, secretHash)
  return { ...accepted(owner, identity, clock(), origin.address ?? undefined).actor, sessionId }
}

/** A call with its key as it is in the call's transaction; throws where it has ended. */
export const asLiveKey = async (call: Call): Promise<Call> => ({ ...call, actor: await liveActor(call) })

/**
 * Changes what outlasts the request in a way that matters to security. What an interface knew of the key may be seconds old,
 * so it is read again in the transaction of the change, and its revocation or rotation waits until that has ended.
 */
export const changingWithLiveKey = <T>(call: Call, scope: Scope, work: (call: Call) => Promise<T>): Promise<T> =>
  changing(call, async (call) => {
    const live = await asLiveKey(call)
    if (!holdsScope(live.actor, scope)) throw missingScope(scope)
    return work(live)
  })
