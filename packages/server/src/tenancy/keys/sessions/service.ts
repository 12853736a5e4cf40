import { type Clock, isoTime } from '../../../base/clock.js'
import { notFound } from '../../../base/errors.js'
import { newId } from '../../../base/ids.js'
import { type Page, pagedList } from '../../../base/paging.js'
import { hashSecret } from '../../../base/secret.js'
import { audit } from '../../../changelog/audit/service.js'
import type { Sql } from '../../../db/port.js'
import { keysTopic } from '../../../db/topics.js'
import type { OpenStreams } from '../../../limits/quotas/open-streams.js'
import { overQuota } from '../../../limits/quotas/over-quota.js'
import { holdsScope } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import { asLiveKey } from '../live-key.js'
import { findSignInKey, keyOwner, lockKey } from '../service.js'
import { type FoundLink, takeLink } from './links.js'
import type { Session, SessionList } from './schema.js'
import { type Halves, newHalves } from './secret.js'
import * as store from './store.js'

/** From its last use. */
const sessionLifetimeMs = 12 * 3_600_000
const sessionsPerKey = 10
const maxUserAgentLength = 255

type KeyOwner = Awaited<ReturnType<typeof keyOwner>>

const shown = ({ actor }: Call, stored: store.StoredSession, key: KeyOwner): Session => {
  const ends = [stored.expiresAtMs, stored.endsAtMs, key?.expires_at].filter((ms) => typeof ms === 'number')
  return {
    id: stored.id,
    keyId: stored.keyId,
    keyName: key?.name ?? '',
    userId: key?.user_id ?? null,
    createdAt: isoTime(stored.createdAtMs),
    lastUsedAt: isoTime(stored.lastUsedAtMs),
    expiresAt: isoTime(Math.min(...ends)),
    address: stored.address,
    userAgent: stored.userAgent,
    current: stored.id === actor.sessionId,
  }
}

const sessionOf = async (call: Call, stored: store.StoredSession): Promise<Session> =>
  shown(call, stored, await keyOwner(call.db, call.actor.tenantId, stored.keyId))

const end = async (call: Call, { id, keyId }: store.StoredSession, reason: string): Promise<void> => {
  const { tenantId } = call.actor
  await store.deleteSession(call.db, tenantId, id)
  await audit(call, 'session.ended', { subject: id, details: { keyId, reason } })
  call.db.announce(keysTopic(tenantId))
}

/** Ends the oldest sessions of a key that has as many as it may. */
const makeRoom = async (call: Call, keyId: string): Promise<void> => {
  const { db, actor, clock } = call
  const filter = { keyId, before: undefined }
  const sessions = await store.listSessions(db, actor.tenantId, filter, clock(), sessionsPerKey)
  for (const oldest of sessions.slice(sessionsPerKey - 1)) await end(call, oldest, 'replaced by a newer session')
}

/** What counts in the quota besides sessions. */
type OpenRequests = Pick<OpenStreams, 'usedByRequests'>

const checkQuota = async (call: Call, openStreams: OpenRequests): Promise<void> => {
  const limit = call.plan?.openStreams
  if (!limit) return
  const { tenantId } = call.actor
  const used =
    (await openStreams.usedByRequests(tenantId)) + (await store.countSessions(call.db, tenantId, call.clock()))
  if (used >= limit) throw overQuota('openStreams', limit, used)
}

interface OpenedSession {
  session: Session
  halves: Halves
}

interface SessionRequest {
  /** The link that it is opened with, which is used up by it. */
  link?: Pick<FoundLink, 'hash' | 'signIn'> | undefined
  userAgent: string | undefined
}

/** Opens a session of the caller's key. */
export const openSession = (
  call: Call,
  openStreams: OpenRequests,
  { link, userAgent }: SessionRequest,
): Promise<OpenedSession> =>
  changing(call, async (inside) => {
    const live = await asLiveKey(inside)
    const { tenantId, keyId, keyExpiresAt } = live.actor
    if (link) await takeLink(live, link.hash)
    const key = await lockKey(live, keyId)
    await makeRoom(live, keyId)
    await checkQuota(live, openStreams)
    const sessionId = newId('ses')
    const halves = newHalves({ tenantId, sessionId })
    const nowMs = live.clock()
    const isReplacedSecret = keyExpiresAt !== (key.expiresAt && Date.parse(key.expiresAt))
    const stored: store.StoredSession = {
      id: sessionId,
      keyId,
      cookieHash: hashSecret(halves.cookie),
      secretHash: hashSecret(halves.secret),
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      expiresAtMs: nowMs + sessionLifetimeMs,
      endsAtMs: isReplacedSecret ? keyExpiresAt : null,
      address: live.origin.address,
      userAgent: userAgent?.slice(0, maxUserAgentLength).toWellFormed() ?? null,
      isByLink: link !== undefined,
      issuer: link?.signIn?.issuer ?? null,
      issuerSession: link?.signIn?.issuerSession ?? null,
    }
    await store.insertSession(live.db, tenantId, stored)
    const { issuer, userAgent: browser } = stored
    const by = issuer !== null ? 'sign-in' : link ? 'link' : 'key'
    const details = { keyId, by, ...(issuer !== null && { issuer }), userAgent: browser }
    await audit(live, 'session.created', { subject: sessionId, details })
    const session = await sessionOf({ ...live, actor: { ...live.actor, sessionId } }, stored)
    return { session, halves }
  })

/** Without the scope `admin` a key has to do with its own sessions only. */
const mayManage = ({ actor }: Call, keyId: string): boolean => holdsScope(actor, 'admin') || actor.keyId === keyId

export const listSessions = async (call: Call, query: SessionList): Promise<Page<Session>> => {
  const { keyId } = query
  const { db, actor, clock } = call
  const { tenantId } = actor
  const ofKey = holdsScope(actor, 'admin') ? keyId : actor.keyId
  if (keyId !== undefined && !mayManage(call, keyId)) return { items: [], hasMore: false, nextCursor: null }
  const { items, ...rest } = await pagedList(query, {
    list: [tenantId, 'sessions', ofKey],
    kinds: ['integer', 'text'],
    read: (before, count) => store.listSessions(db, tenantId, { keyId: ofKey, before }, clock(), count),
    placeOf: ({ createdAtMs, id }) => [createdAtMs, id],
  })
  const keys = new Map<string, KeyOwner>()
  for (const { keyId } of items) if (!keys.has(keyId)) keys.set(keyId, await keyOwner(db, tenantId, keyId))
  return { items: items.map((stored) => shown(call, stored, keys.get(stored.keyId))), ...rest }
}

/** The session that a call was made with; null where it was made with a key. */
export const currentSession = async (call: Call): Promise<Session | null> => {
  const { sessionId, tenantId } = call.actor
  if (sessionId === undefined) return null
  const stored = await store.findSession(call.db, tenantId, sessionId, call.clock())
  return stored ? sessionOf(call, stored) : null
}

export const endSession = (call: Call, id: string): Promise<void> =>
  changing(call, async (inside) => {
    const live = await asLiveKey(inside)
    const session = await store.findSession(live.db, live.actor.tenantId, id, live.clock(), 'forUpdate')
    if (!session || !mayManage(live, session.keyId)) throw notFound('session', id)
    await end(live, session, id === live.actor.sessionId ? 'signed out' : 'revoked')
  })

type EndedAtIssuer = { issuer: string } & ({ issuerSession: string } | { userId: string })

/** Ends the sessions of a session at an issuer, or of a user who signed in there. */
export const endIssuerSessions = (call: Call, ended: EndedAtIssuer): Promise<void> =>
  changing(call, async (call) => {
    const { db, actor, clock } = call
    const { issuer } = ended
    const value = 'userId' in ended ? (await findSignInKey(call, ended.userId))?.id : ended.issuerSession
    if (value === undefined) return
    const filter = { issuer, column: 'userId' in ended ? 'key_id' : 'issuer_session', value } as const
    for (const session of await store.listIssuerSessions(db, actor.tenantId, filter, clock())) {
      await end(call, session, 'signed out at the issuer')
    }
    await store.deleteIssuerLinks(db, actor.tenantId, filter)
  })

/** Extends a session to its full lifetime, counted from its last use. */
export const renewSession = (db: Sql, tenantId: string, id: string, usedAtMs: number): Promise<void> =>
  store.renewSession(db, tenantId, id, usedAtMs, usedAtMs + sessionLifetimeMs)

/** Those of a tenant that have not ended. */
export const countSessions = (db: Sql, clock: Clock, tenantId: string): Promise<number> =>
  store.countSessions(db, tenantId, clock())
