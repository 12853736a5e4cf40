import { isoTime } from '../../../base/clock.js'
import { audit } from '../../../changelog/audit/service.js'
import type { AgedRows } from '../../../db/aged-rows.js'
import type { Sql } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
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

const upTo = (nowMs: number): number => nowMs

export const agedSessions: readonly AgedRows[] = [
  { table: 'console_sessions', key: ['id'], age: 'expires_at', upTo },
  { table: 'console_sessions', key: ['id'], age: 'ends_at', upTo },
  { table: 'console_links', key: ['hash'], age: 'expires_at', upTo },
  { table: 'logout_tokens', key: ['hash'], age: 'expires_at', upTo },
]
