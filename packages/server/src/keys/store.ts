import type { Scope } from '../actor.js'
import { isoTime } from '../clock.js'
import type { Sql } from '../db/port.js'
import type { ApiKey } from './schema.js'

interface KeyRow {
  id: string
  name: string
  prefix: string
  scopes: string
  project_ids: string | null
  user_id: string | null
  expires_at: number | null
  created_at: number
  last_used_at: number | null
}

const columns = 'id, name, prefix, scopes, project_ids, user_id, expires_at, created_at, last_used_at'

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

const keyOf = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: JSON.parse(row.scopes) as Scope[],
  projectIds: row.project_ids === null ? null : (JSON.parse(row.project_ids) as string[]),
  userId: row.user_id,
  expiresAt: timeOrNull(row.expires_at),
  createdAt: isoTime(row.created_at),
  lastUsedAt: timeOrNull(row.last_used_at),
})

export const findKey = async (
  db: Sql,
  tenantId: string,
  id: string,
  lock: '' | 'forUpdate' = '',
): Promise<ApiKey | undefined> => {
  const row = await db.get<KeyRow>(
    `select ${columns} from api_keys where tenant_id = ? and id = ? and revoked_at is null${lock && db.dialect[lock]}`,
    [tenantId, id],
  )
  return row && keyOf(row)
}

export const listKeys = async (
  db: Sql,
  tenantId: string,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<ApiKey[]> => {
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<KeyRow>(
    `select ${columns} from api_keys where tenant_id = ? and revoked_at is null${from}
     order by created_at, id limit ?`,
    [tenantId, ...(after ?? []), count],
  )
  return rows.map(keyOf)
}

const columnValues = (key: ApiKey) => [
  key.name,
  key.prefix,
  JSON.stringify(key.scopes),
  key.projectIds && JSON.stringify(key.projectIds),
  key.userId,
  key.expiresAt === null ? null : Date.parse(key.expiresAt),
]

export const insertKey = async (db: Sql, tenantId: string, key: ApiKey): Promise<void> => {
  await db.run(
    `insert into api_keys (name, prefix, scopes, project_ids, user_id, expires_at, tenant_id, id, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [...columnValues(key), tenantId, key.id, Date.parse(key.createdAt)],
  )
}

export const updateKey = async (db: Sql, tenantId: string, key: ApiKey): Promise<void> => {
  await db.run(
    `update api_keys set name = ?, prefix = ?, scopes = ?, project_ids = ?, user_id = ?, expires_at = ?
     where tenant_id = ? and id = ?`,
    [...columnValues(key), tenantId, key.id],
  )
}

export const revokeKey = async (db: Sql, tenantId: string, id: string, nowMs: number): Promise<void> => {
  await db.run('update api_keys set revoked_at = ? where tenant_id = ? and id = ?', [nowMs, tenantId, id])
}

export const insertSecret = async (db: Sql, tenantId: string, keyId: string, hash: string): Promise<void> => {
  await db.run('insert into key_secrets (tenant_id, key_id, hash) values (?, ?, ?)', [tenantId, keyId, hash])
}

/** Lets the secrets of a key end no later than the given time. */
export const endSecrets = async (db: Sql, tenantId: string, keyId: string, endMs: number): Promise<void> => {
  await db.run(
    `update key_secrets set expires_at = ?
     where tenant_id = ? and key_id = ? and (expires_at is null or expires_at > ?)`,
    [endMs, tenantId, keyId, endMs],
  )
}

export const setLastUsed = async (db: Sql, tenantId: string, id: string, usedAtMs: number): Promise<void> => {
  await db.run('update api_keys set last_used_at = ? where tenant_id = ? and id = ?', [usedAtMs, tenantId, id])
}

export const keyIdsOf = async (db: Sql, tenantId: string, userId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    'select id from api_keys where tenant_id = ? and user_id = ? and revoked_at is null',
    [tenantId, userId],
  )
  return rows.map(({ id }) => id)
}

export interface SecretOwner {
  tenant_id: string
  plan: string
  id: string
  name: string
  scopes: string
  project_ids: string | null
  user_id: string | null
  expires_at: number | null
  revoked_at: number | null
  secret_expires_at: number | null
}

/** The one look-up that cannot name its tenant: the secret tells which one it is. */
export const findSecretOwner = async (db: Sql, hash: string): Promise<SecretOwner | undefined> =>
  db.get(
    `select k.tenant_id, t.plan, k.id, k.name, k.scopes, k.project_ids, k.user_id, k.expires_at, k.revoked_at,
            s.expires_at as secret_expires_at
     from key_secrets s
     join api_keys k on k.tenant_id = s.tenant_id and k.id = s.key_id
     join tenants t on t.tenant_id = s.tenant_id
     where s.hash = ?`,
    [hash],
  )
