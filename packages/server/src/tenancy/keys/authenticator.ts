import { isAllowedAddress } from '../../base/address-ranges.js'
import type { Awaitable } from '../../base/awaitable.js'
import type { Clock } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { hashSecret, isPlausibleSecret } from '../../base/secret.js'
import { anyCommit, type CommitNotification } from '../../db/commit-notifier.js'
import type { Db } from '../../db/port.js'
import { keysTopic } from '../../db/topics.js'
import type { LookUps } from '../../limits/limiter.js'
import { type Access, rightsOf } from '../../operations/access.js'
import type { Actor, Identity, Scope } from '../../operations/actor.js'
import { parsePaused } from '../pauses/schema.js'
import { accessOf } from './access.js'
import { findSecretOwner, type SecretOwner } from './store.js'
import { type AuthFailure, unauthorized } from './unauthorized.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly authenticator: Authenticator
    /** Knows callers that came with something that stands for a key. */
    readonly keyRefs: Authenticator
    /** Authenticates sessions of the web console. */
    readonly sessionAuthenticator: Authenticator
  }
}

interface CacheEntry {
  /** Undefined where no key has this secret. */
  owner: SecretOwner | undefined
  identity: Identity | undefined
  /** Of the monotonic clock. */
  staleAtMs: number
}

/** What a caller sends to say who it is, and how that is looked up. */
export interface CredentialKind {
  /** What identifies it without being it, such as its hash; throws where it cannot be one. */
  fingerprintOf(credential: string | undefined): string
  /** Undefined where there is none like it. */
  find(db: Db, fingerprint: string, credential: string | undefined): Promise<FoundIdentity | undefined>
  unknown(): AppError
}

interface FoundIdentity {
  owner: SecretOwner
  identity: Identity
}

/** Tokens of issuers, which are taken where a key is. */
export interface AccessTokens {
  isToken(text: string): boolean
  /** Throws where the token is not valid, or its user is refused. */
  find(db: Db, token: string): Promise<FoundIdentity>
}

export interface Authenticator {
  /**
   * Throws UNAUTHORIZED unless the credential is that of a good key, and FORBIDDEN where the key may not be used from
   * the address. With an address, the look-ups of credentials that were not good lately are bounded.
   */
  authenticate(credential: string | undefined, address?: string): Awaitable<Identity>
  /** The key that was refused just now; undefined where none has this credential. */
  refusedKey(credential: string | undefined): Actor | undefined
}

/** How long a node can be unaware of a revoked key or a changed plan where it was not told of it. */
const freshForMs = 3_000
const maxEntries = 10_000
/** A key that was good is looked up again whatever else comes from its address. */
const maxGoodKeys = 10_000
const goodForMs = 10 * 60_000

const noBearer = (): AppError =>
  new AppError('invalid', 'The Authorization header must start with "Bearer ", followed by the API key.')

const bearerText = (authorization: string | undefined): string => {
  if (!authorization) throw unauthorized('missing')
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') throw noBearer()
  return authorization.slice(7).trim()
}

const tokenMark = 'token '

/** In the header `Authorization`: a key's secret, or a token of an issuer. */
export const bearerCredential = (tokens?: AccessTokens): CredentialKind => ({
  fingerprintOf: (authorization) => {
    const text = bearerText(authorization)
    if (tokens?.isToken(text)) return tokenMark + hashSecret(text)
    if (!isPlausibleSecret(text)) throw unauthorized('invalid')
    return hashSecret(text)
  },
  find: async (db, hash, authorization) => {
    if (tokens && hash.startsWith(tokenMark)) return tokens.find(db, bearerText(authorization))
    const owner = await findSecretOwner(db, hash)
    return owner && { owner, identity: identityOf(owner, await accessOf(db, owner), hash) }
  },
  unknown: () => unauthorized('invalid'),
})

const listOrNull = (json: string | null): string[] | null => (json === null ? null : (JSON.parse(json) as string[]))

/** When the key or the secret ends, whichever is first. */
const endOf = (owner: Pick<SecretOwner, 'expires_at' | 'secret_expires_at'>): number | null => {
  const endsAt = Math.min(owner.expires_at ?? Infinity, owner.secret_expires_at ?? Infinity)
  return endsAt === Infinity ? null : endsAt
}

/** With the hash of the secret that was sent, where one was. */
export const identityOf = (owner: SecretOwner, access: Access, secretHash: string | null = null): Identity => ({
  plan: owner.plan,
  actor: {
    tenantId: owner.tenant_id,
    keyId: owner.id,
    keyName: owner.name,
    userId: owner.user_id,
    lastUserId: owner.last_user_id,
    ...rightsOf({ scopes: JSON.parse(owner.scopes) as Scope[], projectIds: listOrNull(owner.project_ids) }, access),
    access,
    allowedAddresses: listOrNull(owner.allowed_addresses),
    pauses: { tenant: parsePaused(owner.tenant_paused), key: parsePaused(owner.paused) },
    keyExpiresAt: endOf(owner),
    secretHash,
  },
})

const reasonAgainst = (owner: SecretOwner | undefined, nowMs: number): AuthFailure | undefined => {
  if (!owner) return 'invalid'
  if (owner.revoked_at !== null) return 'revoked'
  return nowMs >= (endOf(owner) ?? Infinity) ? 'expired' : undefined
}

const wrongAddress = (address: string | undefined): AppError =>
  new AppError(
    'address',
    `This API key may not be used from ${address ?? 'an unknown address'}. Use it from an allowed address, or ask an admin to change its allowed addresses.`,
  )

/** The identity of a key that is good and used from where it may be; throws why it is not. */
export const accepted = (
  owner: SecretOwner | undefined,
  identity: Identity | undefined,
  nowMs: number,
  address: string | undefined,
): Identity => {
  const reason = reasonAgainst(owner, nowMs)
  if (reason) throw unauthorized(reason)
  const { allowedAddresses } = identity!.actor
  if (allowedAddresses && (address === undefined || !isAllowedAddress(allowedAddresses, address)))
    throw wrongAddress(address)
  return identity!
}

/** The topic of unknown credentials. A new key of any tenant may match one later, as may a key in a restored backup. */
const unknownTopic = ''

/** Returns the topic of the commits that may change the owner of a credential. */
const topicOf = (owner: SecretOwner | undefined): string => (owner ? keysTopic(owner.tenant_id) : unknownTopic)

const concerns = (news: CommitNotification, owner: SecretOwner | undefined): boolean =>
  owner === undefined || news.has(topicOf(owner))

const unbounded: LookUps = { take: () => true, giveBack: () => {} }

export const createAuthenticator = (
  db: Db,
  clock: Clock,
  lookUps: LookUps = unbounded,
  kind: CredentialKind = bearerCredential(),
): Authenticator => {
  // By the credential as it was sent, which spares the hash for as long as an entry is fresh, and is kept no longer.
  const cache = new Map<string, CacheEntry>()
  // The cached credentials by topic, so that a commit does not have to scan all of them.
  const credentials = new Map<string, Set<string>>()
  // Fingerprints of those that were good, with the end of their time on the monotonic clock, in that order.
  const goodUntilMs = new Map<string, number>()
  // For each look-up under way, the notifications that came meanwhile.
  const lookingUp = new Set<CommitNotification[]>()
  let knownCommits = db.foreignCommits()
  let isToForget = false

  const forget = (credential: string): void => {
    const entry = cache.get(credential)
    if (!entry) return
    cache.delete(credential)
    const topic = topicOf(entry.owner)
    const ofTopic = credentials.get(topic)!
    ofTopic.delete(credential)
    if (ofTopic.size === 0) credentials.delete(topic)
  }

  const remember = (credential: string, entry: CacheEntry): void => {
    // Deleted and inserted again, so that the oldest entries come first.
    forget(credential)
    if (cache.size >= maxEntries) forget(cache.keys().next().value!)
    cache.set(credential, entry)
    const topic = topicOf(entry.owner)
    const ofTopic = credentials.get(topic) ?? new Set()
    credentials.set(topic, ofTopic.add(credential))
  }

  const forgetChanged = (news: CommitNotification): void => {
    for (const overtaking of lookingUp) overtaking.push(news)
    for (const topic of [unknownTopic, ...(news.keys?.() ?? credentials.keys())]) {
      if (topic !== unknownTopic && !news.has(topic)) continue
      for (const credential of credentials.get(topic) ?? []) forget(credential)
    }
  }

  // Another process, such as the command line, may have revoked a key: where the store can tell, no request is let in
  // by what was known before.
  const forgetIfChanged = (): void => {
    const commits = db.foreignCommits()
    if (commits === knownCommits) return
    knownCommits = commits
    forgetChanged(anyCommit)
  }

  const forgetStale = (nowMs: number): void => {
    for (const [credential, { staleAtMs }] of cache) {
      if (nowMs < staleAtMs) return
      forget(credential)
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

  const noteGood = (fingerprint: string): void => {
    if (goodUntilMs.size >= maxGoodKeys) goodUntilMs.delete(goodUntilMs.keys().next().value!)
    goodUntilMs.set(fingerprint, performance.now() + goodForMs)
  }

  const find = async (
    fingerprint: string,
    credential: string | undefined,
    address: string | undefined,
  ): Promise<FoundIdentity | undefined> => {
    const isKnownGood = performance.now() < (goodUntilMs.get(fingerprint) ?? 0)
    const isCounted = address !== undefined && !isKnownGood
    if (isCounted && !lookUps.take(address)) throw kind.unknown()
    const found = await kind.find(db, fingerprint, credential)
    goodUntilMs.delete(fingerprint)
    if (reasonAgainst(found?.owner, clock()) === undefined) {
      noteGood(fingerprint)
      if (isCounted) lookUps.giveBack(address)
    }
    return found
  }

  const lookUp = async (credential: string | undefined, address: string | undefined): Promise<CacheEntry> => {
    const fingerprint = kind.fingerprintOf(credential)
    const overtaking: CommitNotification[] = []
    lookingUp.add(overtaking)
    const found = await find(fingerprint, credential, address).finally(() => lookingUp.delete(overtaking))
    const { owner, identity } = found ?? { owner: undefined, identity: undefined }
    const entry = { owner, identity, staleAtMs: performance.now() + freshForMs }
    // A look-up that a change overtook may tell how the key was before; one that is revoked stays so.
    const isOvertaken = !owner?.revoked_at && overtaking.some((news) => concerns(news, owner))
    if (isOvertaken || credential === undefined) return entry
    remember(credential, entry)
    forgetLater()
    return entry
  }

  const acceptedEntry = ({ owner, identity }: CacheEntry, address: string | undefined): Identity => {
    if (!owner) throw kind.unknown()
    return accepted(owner, identity, clock(), address)
  }

  // A key that was changed is looked up again by the next request: here before the change is answered.
  db.listenSync(forgetChanged)
  db.listen(forgetChanged)

  return {
    authenticate: (credential, address) => {
      forgetIfChanged()
      const cached = credential === undefined ? undefined : cache.get(credential)
      if (cached && performance.now() < cached.staleAtMs) return acceptedEntry(cached, address)
      return lookUp(credential, address).then((entry) => acceptedEntry(entry, address))
    },
    refusedKey: (credential) => (credential === undefined ? undefined : cache.get(credential)?.identity?.actor),
  }
}
