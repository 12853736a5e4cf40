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

/** Nobody else binds or creates a user of the tenant by signing in until the transaction ends. */
export const lockTenant = async (db: Sql, tenantId: string): Promise<boolean> =>
  (await db.get(`select 1 as one from tenants where tenant_id = ?${db.dialect.forUpdate}`, [tenantId])) !== undefined
