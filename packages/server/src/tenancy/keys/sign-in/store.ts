import type { MappedRole } from '../../../base/oidc-settings.js'
import type { Sql } from '../../../db/port.js'

/** An account of an issuer that a user signs in with. */
export interface UserIdentity {
  issuer: string
  subject: string
  userId: string
  /** The role that a claim gave at the last sign-in, where one did. */
  mappedRole: MappedRole | null
}

export const findIdentity = async (
  db: Sql,
  tenantId: string,
  issuer: string,
  subject: string,
): Promise<UserIdentity | undefined> => {
  const row = await db.get<{ user_id: string; mapped_role: MappedRole | null }>(
    'select user_id, mapped_role from user_identities where tenant_id = ? and issuer = ? and subject = ?',
    [tenantId, issuer, subject],
  )
  return row && { issuer, subject, userId: row.user_id, mappedRole: row.mapped_role }
}

export const isBoundTo = async (db: Sql, tenantId: string, userId: string, issuer: string): Promise<boolean> =>
  (await db.get('select 1 as one from user_identities where tenant_id = ? and user_id = ? and issuer = ?', [
    tenantId,
    userId,
    issuer,
  ])) !== undefined

export const saveIdentity = async (db: Sql, tenantId: string, identity: UserIdentity, nowMs: number): Promise<void> => {
  const { issuer, subject, userId, mappedRole } = identity
  await db.run(
    `insert into user_identities (tenant_id, issuer, subject, user_id, mapped_role, created_at)
     values (?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, issuer, subject) do update set mapped_role = excluded.mapped_role`,
    [tenantId, issuer, subject, userId, mappedRole, nowMs],
  )
}

/** Saves a logout token until it expires. Returns false if it was saved before. */
export const saveLogoutToken = async (db: Sql, tenantId: string, hash: string, expiresAtMs: number): Promise<boolean> =>
  (await db.run(
    'insert into logout_tokens (tenant_id, hash, expires_at) values (?, ?, ?) on conflict (tenant_id, hash) do nothing',
    [tenantId, hash, expiresAtMs],
  )) === 1

export const deleteExpiredLogoutTokens = async (db: Sql, tenantId: string, nowMs: number): Promise<void> => {
  await db.run('delete from logout_tokens where tenant_id = ? and expires_at <= ?', [tenantId, nowMs])
}

/** Keeps only the `count` logout tokens that expire last. */
export const keepLatestLogoutTokens = async (db: Sql, tenantId: string, count: number): Promise<void> => {
  await db.run(
    `delete from logout_tokens where tenant_id = ? and expires_at < coalesce((
       select expires_at from logout_tokens where tenant_id = :tenant
       order by expires_at desc limit 1 offset ${count - 1}), 0)`,
    [tenantId],
  )
}

/** Nobody else binds or creates a user of the tenant by signing in until the transaction ends. */
export const lockTenant = async (db: Sql, tenantId: string): Promise<boolean> =>
  (await db.get(`select 1 as one from tenants where tenant_id = ? and deleting_at is null${db.dialect.forUpdate}`, [
    tenantId,
  ])) !== undefined
