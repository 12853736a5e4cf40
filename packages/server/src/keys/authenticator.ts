import type { Actor, Scope } from '../actor.js'
import type { Awaitable } from '../awaitable.js'
import type { Clock } from '../clock.js'
import type { Db } from '../db/port.js'
import { AppError } from '../errors.js'
import { hashSecret, isPlausibleSecret } from './secret.js'
import { findSecretOwner, type SecretOwner } from './store.js'

export interface Identity {
  actor: Actor
  plan: string
}

interface CacheEntry {
  /** Undefined where no key has this secret. */
  owner: SecretOwner | undefined
  identity: Identity | undefined
  /** Of the monotonic clock. */
  staleAtMs: number
}

export interface Authenticator {
  /** Throws UNAUTHORIZED unless the header carries a good key. */
  authenticate(authorization: string | undefined): Awaitable<Identity>
  /** Makes the next request of a changed key look it up again. */
  forget(keyId: string): void
}

/** How long another node, or the command line, can be unaware of a revoked key or a changed plan. */
const freshForMs = 3_000
const maxEntries = 10_000

type Reason = 'missing' | 'invalid' | 'expired' | 'revoked'

const messages: Record<Reason, string> = {
  missing: 'Send your API key in the header "Authorization: Bearer <API key>".',
  invalid: 'This API key is not known. Check that it was copied whole.',
  expired: 'This API key has expired. Ask an admin for a new one, or use the secret it was rotated to.',
  revoked: 'This API key was revoked. Ask an admin for a new one.',
}

const unauthorized = (reason: Reason): AppError => new AppError('UNAUTHORIZED', messages[reason], { reason })

const bearerSecret = (authorization: string | undefined): string => {
  if (!authorization) throw unauthorized('missing')
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') throw unauthorized('invalid')
  const secret = authorization.slice(7).trim()
  if (!isPlausibleSecret(secret)) throw unauthorized('invalid')
  return secret
}

const identityOf = (owner: SecretOwner): Identity => ({
  plan: owner.plan,
  actor: {
    tenantId: owner.tenant_id,
    keyId: owner.id,
    keyName: owner.name,
    userId: owner.user_id,
    scopes: JSON.parse(owner.scopes) as Scope[],
    projectIds: owner.project_ids === null ? null : (JSON.parse(owner.project_ids) as string[]),
    keyExpiresAt: owner.expires_at,
  },
})

const accepted = ({ owner, identity }: CacheEntry, nowMs: number): Identity => {
  if (!owner || !identity) throw unauthorized('invalid')
  if (owner.revoked_at !== null) throw unauthorized('revoked')
  const endsAt = Math.min(owner.expires_at ?? Infinity, owner.secret_expires_at ?? Infinity)
  if (nowMs >= endsAt) throw unauthorized('expired')
  return identity
}

export const createAuthenticator = (db: Db, clock: Clock): Authenticator => {
  // By the header as it was sent, which spares the hash for as long as an entry is fresh, and is kept no longer.
  const cache = new Map<string, CacheEntry>()
  let changes = 0
  let isToForget = false

  const forgetStale = (nowMs: number): void => {
    for (const [header, { staleAtMs }] of cache) {
      if (nowMs < staleAtMs) return
      cache.delete(header)
    }
  }

  const forgetLater = (): void => {
    if (isToForget) return
    isToForget = true
    setTimeout(() => {
      isToForget = false
      forgetStale(performance.now())
      if (cache.size > 0) forgetLater()
    }, freshForMs).unref()
  }

  const lookUp = async (authorization: string | undefined): Promise<CacheEntry> => {
    const hash = hashSecret(bearerSecret(authorization))
    const changesBefore = changes
    const owner = await findSecretOwner(db, hash)
    const entry = { owner, identity: owner && identityOf(owner), staleAtMs: performance.now() + freshForMs }
    // A look-up that a change overtook may tell how the key was before.
    if (changes !== changesBefore || authorization === undefined) return entry
    // Deleted and set anew, so that the oldest stand first.
    cache.delete(authorization)
    if (cache.size >= maxEntries) cache.delete(cache.keys().next().value!)
    cache.set(authorization, entry)
    forgetLater()
    return entry
  }

  return {
    authenticate: (authorization) => {
      const cached = authorization === undefined ? undefined : cache.get(authorization)
      if (cached && performance.now() < cached.staleAtMs) return accepted(cached, clock())
      return lookUp(authorization).then((entry) => accepted(entry, clock()))
    },
    forget: (keyId) => {
      changes++
      for (const [header, { owner }] of cache) if (owner?.id === keyId) cache.delete(header)
    },
  }
}
