import { isoTime } from '../../../base/clock.js'
import { audit } from '../../../changelog/audit/service.js'
import type { Db, Sql } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import { eachInTurn } from '../../../scheduling/in-turns.js'
import { deleteExpiredLogoutTokens } from '../sign-in/store.js'
import * as store from './store.js'

/** More than a key can have. */
const allOfKey = 1_000

const auditEnds = async (call: Call, keyId: string, details: object, exceptId = ''): Promise<void> => {
  const { db, actor, clock } = call
  const sessions = await store.listSessions(db, actor.tenantId, { keyId, before: undefined }, clock(), allOfKey)
  for (const { id } of sessions) {
    if (id !== exceptId) await audit(call, 'session.ended', { subject: id, details: { keyId, ...details } })
  }
}

/** Ends the sessions and links of a key that is being revoked. */
export const endSessionsOfRevoked = async (call: Call, keyId: string): Promise<void> => {
  await auditEnds(call, keyId, { reason: 'key revoked' })
  await store.deleteSessionsOf(call.db, call.actor.tenantId, keyId)
  await store.deleteLinksOf(call.db, call.actor.tenantId, keyId)
}

/**
 * Lets the sessions of a key that is being rotated end with its old secret, since whoever has that may have opened
 * them. The session that rotates it goes on.
 */
export const endSessionsOfRotated = async (call: Call, keyId: string, endMs: number): Promise<void> => {
  const { db, actor, clock } = call
  const ownId = actor.sessionId ?? ''
  await auditEnds(call, keyId, { reason: 'key rotated', endsAt: isoTime(endMs) }, ownId)
  await store.endSessionsBy(db, actor.tenantId, keyId, endMs, ownId)
  await store.deleteLinksOf(db, actor.tenantId, keyId)
  await store.deleteEndedSessions(db, actor.tenantId, clock())
}

/** Ends all sessions: some of those in a backup were ended since. */
export const endSessions = async (tx: Sql, tenantId: string): Promise<void> => {
  await store.deleteSessions(tx, tenantId)
  await store.deleteLinks(tx, tenantId)
}

/** Removes ended sessions, expired links and expired logout tokens. */
export const trimSessions = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn(tenantIds, async (tenantId) => {
    await store.deleteEndedSessions(db, tenantId, nowMs)
    await store.deleteExpiredLinks(db, tenantId, nowMs)
    await deleteExpiredLogoutTokens(db, tenantId, nowMs)
  })
}
