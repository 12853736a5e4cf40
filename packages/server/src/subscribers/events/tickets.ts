import { type Clock, isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { randomBase62 } from '../../base/ids.js'
import { hashSecret } from '../../base/secret.js'
import type { Db } from '../../db/port.js'
import { type Call, changing } from '../../operations/call.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import type { KeyRef } from '../../tenancy/keys/key-ref.js'
import { getKey } from '../../tenancy/keys/service.js'
import { listTenantIds } from '../../tenancy/tenants/service.js'
import type { StreamTicket } from './schema.js'
import { deleteExpiredTickets, insertTicket, listExpiries, takeTicket } from './ticket-store.js'

const ticketLifetimeMs = 30_000
const ticketsPerKey = 20

const wellFormed = /^wl_ticket_([0-9A-Za-z]{20})_[0-9A-Za-z]{32}$/

/** It names its tenant, so that it is looked for among the tickets of that tenant alone. */
const newTicket = (tenantId: string): string => `wl_ticket_${tenantId.slice('ten_'.length)}_${randomBase62(32)}`

/** A single-use stand-in for the caller's key, for a browser that opens the stream and cannot send headers. */
export const issueTicket = (call: Call): Promise<StreamTicket> =>
  changing(call, async (call) => {
    const { tenantId, keyId, keyExpiresAt, sessionId, tokenExpiresAt } = call.actor
    const nowMs = call.clock()
    const expiries = await listExpiries(call.db, tenantId, keyId, nowMs)
    if (expiries.length >= ticketsPerKey) {
      throw new AppError(
        'RATE_LIMIT_EXCEEDED',
        `This key already has ${ticketsPerKey} unused tickets. Use one, or wait until they expire.`,
        {
          limit: 'unused stream tickets',
          retryAfter: Math.ceil((expiries[0]! - nowMs) / 1_000),
        },
      )
    }
    const { prefix, expiresAt } = await getKey(call, keyId)
    // A session is checked itself for as long as the stream is open.
    const isReplaced =
      sessionId === undefined && keyExpiresAt !== null && keyExpiresAt !== (expiresAt && Date.parse(expiresAt))
    if (tokenExpiresAt !== undefined) {
      throw new AppError('FORBIDDEN', 'An access token gets no tickets. Send it in the Authorization header instead.')
    }
    if (isReplaced) {
      throw new AppError('FORBIDDEN', 'This secret was rotated and gets no tickets. Use the new secret of the key.')
    }
    const ticket = newTicket(tenantId)
    const expiresAtMs = nowMs + ticketLifetimeMs
    const hash = hashSecret(ticket)
    await insertTicket(call.db, { tenantId, hash, keyId, secretPrefix: prefix, sessionId, expiresAtMs })
    return { ticket, expiresAt: isoTime(expiresAtMs) }
  })

/** Uses a ticket up; undefined where it was never issued, was used before or has expired. */
export const redeemTicket = async (db: Db, clock: Clock, ticket: string): Promise<KeyRef | undefined> => {
  const tenant = wellFormed.exec(ticket)?.[1]
  if (tenant === undefined) return undefined
  const tenantId = `ten_${tenant}`
  const taken = await db.transaction((tx) => takeTicket(tx, tenantId, hashSecret(ticket)), tenantId)
  if (!taken || taken.expiresAtMs <= clock()) return undefined
  return taken
}

/** Removes the expired tickets of all tenants. */
export const trimTickets = async (db: Db, nowMs: number): Promise<void> => {
  await eachInTurn(await listTenantIds(db), (tenantId) => deleteExpiredTickets(db, tenantId, nowMs))
}
