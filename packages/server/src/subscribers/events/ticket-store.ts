import type { Sql } from '../../db/port.js'
import type { KeyRef } from '../../tenancy/keys/key-ref.js'

interface StoredTicket extends KeyRef {
  hash: string
  expiresAtMs: number
}

interface TicketRow {
  key_id: string
  secret_prefix: string
  session_id: string | null
  expires_at: number
}

export const insertTicket = async (db: Sql, ticket: StoredTicket): Promise<void> => {
  await db.run(
    `insert into stream_tickets (tenant_id, hash, key_id, secret_prefix, session_id, expires_at)
     values (?, ?, ?, ?, ?, ?)`,
    [ticket.tenantId, ticket.hash, ticket.keyId, ticket.secretPrefix, ticket.sessionId ?? null, ticket.expiresAtMs],
  )
}

/** When each of a key's tickets that can still be used expires, the next one first. */
export const listExpiries = async (db: Sql, tenantId: string, keyId: string, nowMs: number): Promise<number[]> => {
  const rows = await db.all<{ expires_at: number }>(
    'select expires_at from stream_tickets where tenant_id = ? and key_id = ? and expires_at > ? order by expires_at',
    [tenantId, keyId, nowMs],
  )
  return rows.map(({ expires_at }) => expires_at)
}

/** Removes a ticket and answers it: of several that try at once, one gets it. */
export const takeTicket = async (db: Sql, tenantId: string, hash: string): Promise<StoredTicket | undefined> => {
  const [row] = await db.runReturning<TicketRow>(
    `delete from stream_tickets where tenant_id = ? and hash = ?
     returning key_id, secret_prefix, session_id, expires_at`,
    [tenantId, hash],
  )
  return (
    row && {
      tenantId,
      hash,
      keyId: row.key_id,
      secretPrefix: row.secret_prefix,
      sessionId: row.session_id ?? undefined,
      expiresAtMs: Number(row.expires_at),
    }
  )
}

export const deleteExpiredTickets = async (db: Sql, tenantId: string, nowMs: number): Promise<void> => {
  await db.run('delete from stream_tickets where tenant_id = ? and expires_at <= ?', [tenantId, nowMs])
}
