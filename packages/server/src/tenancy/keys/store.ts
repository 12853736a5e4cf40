import type { Row } from '../../base/record.js'
import type { Sql } from '../../db/port.js'
import type { Actor, Scope } from '../../operations/actor.js'
import { type ApiKey, keyRecord } from './schema.js'

const keyRow = keyRecord.row

/** Of a key without a secret, through which its user acts after signing in. */
export const noPrefix = ''

/** Without a secret, a key has the scopes of its user's role. */
const scopesOf = (table: string): string =>
  `case when ${table}.prefix <> '' then ${table}.scopes else coalesce((
     select case u.role when 'admin' then '["admin"]' else '["tasks:write","knowledge:write"]' end
     from users u where u.tenant_id = :tenant and u.id = ${table}.user_id), '[]') end`

const columns = keyRow.columns({ scopes: scopesOf('api_keys') })

export const findKey = async (
  db: Sql,
  tenantId: string,
  id: string,
  lock: '' | 'forUpdate' = '',
): Promise<ApiKey | undefined> => {
  const found = await db.get<Row>(
    `select ${columns} from api_keys where tenant_id = ? and id = ? and revoked_at is null${lock && db.dialect[lock]}`,
    [tenantId, id],
  )
  return found && keyRow.read(found)
}

/** Also of one that is revoked. */
export const hasKey = async (db: Sql, tenantId: string, id: string): Promise<boolean> =>
  (await db.get('select 1 as one from api_keys where tenant_id = ? and id = ?', [tenantId, id])) !== undefined

export const listKeys = async (
  db: Sql,
  tenantId: string,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<ApiKey[]> => {
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<Row>(
    `select ${columns} from api_keys where tenant_id = ? and revoked_at is null${from}
     order by created_at, id limit cast(? as bigint)`,
    [tenantId, ...(after ?? []), count],
  )
  return rows.map(keyRow.read)
}

export const findAdminKey = async (db: Sql, tenantId: string, nowMs: number): Promise<ApiKey | undefined> => {
  const found = await db.get<Row>(
    `select ${columns} from api_keys
     where tenant_id = ? and revoked_at is null and prefix <> '' and scopes like '%"admin"%'
       and allowed_addresses is null
       and (expires_at is null or expires_at > ?)
     order by created_at, id limit 1`,
    [tenantId, nowMs],
  )
  return found && keyRow.read(found)
}

export const insertKey = async (db: Sql, tenantId: string, key: ApiKey): Promise<void> => {
  await db.run(
    `insert into api_keys (tenant_id, last_user_id, ${keyRow.insert.columns}) values (?, ?, ${keyRow.insert.marks})`,
    [tenantId, key.userId, ...keyRow.insert.values(key)],
  )
}

export const updateKey = async (db: Sql, tenantId: string, key: ApiKey): Promise<void> => {
  await db.run(
    `update api_keys set ${keyRow.update.assignments}, last_user_id = coalesce(?, last_user_id)
     where tenant_id = ? and id = ?`,
    [...keyRow.update.values(key), key.userId, tenantId, key.id],
  )
}

export const revokeKey = async (db: Sql, tenantId: string, id: string, nowMs: number): Promise<void> => {
  await db.run('update api_keys set revoked_at = ? where tenant_id = ? and id = ?', [nowMs, tenantId, id])
}

export const insertSecret = async (db: Sql, tenantId: string, keyId: string, hash: string): Promise<void> => {
  await db.runAll([
    { text: 'insert into key_hashes (hash, tenant_id, key_id) values (?, ?, ?)', params: [hash, tenantId, keyId] },
    { text: 'insert into key_secrets (tenant_id, key_id, hash) values (?, ?, ?)', params: [tenantId, keyId, hash] },
  ])
}

/** Lets the secrets of a key end no later than the given time. */
export const endSecrets = async (db: Sql, tenantId: string, keyId: string, endMs: number): Promise<void> => {
  await db.run(
    `update key_secrets set expires_at = ?
     where tenant_id = ? and key_id = ? and (expires_at is null or expires_at > ?)`,
    [endMs, tenantId, keyId, endMs],
  )
}

/** Ends one of a key's secrets. */
export const endSecret = async (
  db: Sql,
  tenantId: string,
  keyId: string,
  hash: string,
  endMs: number,
): Promise<void> => {
  await db.run('update key_secrets set expires_at = ? where tenant_id = ? and key_id = ? and hash = ?', [
    endMs,
    tenantId,
    keyId,
    hash,
  ])
}

/** How many keys with a secret there are. With a lock nobody else creates one until the transaction ends. */
export const countKeys = async (db: Sql, tenantId: string, lock: '' | 'forUpdate' = ''): Promise<number> => {
  if (lock) await db.get(`select 1 as found from tenants where tenant_id = ?${db.dialect[lock]}`, [tenantId])
  const row = await db.get<{ count: number }>(
    `select count(*) as count from api_keys where tenant_id = ? and revoked_at is null and prefix <> ''`,
    [tenantId],
  )
  return row!.count
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

export const namesOfUserKeys = async (
  db: Sql,
  tenantId: string,
  userId: string,
): Promise<Pick<ApiKey, 'id' | 'name'>[]> =>
  db.all('select id, name from api_keys where tenant_id = ? and user_id = ?', [tenantId, userId])

export const renameKey = async (db: Sql, tenantId: string, id: string, name: string): Promise<void> => {
  await db.run('update api_keys set name = ? where tenant_id = ? and id = ?', [name, tenantId, id])
}

export interface SecretOwner {
  tenant_id: string
  plan: string
  id: string
  name: string
  prefix: string
  scopes: string
  project_ids: string | null
  user_id: string | null
  last_user_id: string | null
  expires_at: number | null
  allowed_addresses: string | null
  revoked_at: number | null
  secret_expires_at: number | null
  paused: string | null
  tenant_paused: string | null
}

const ownerColumns = `k.tenant_id, t.plan, k.id, k.name, k.prefix, ${scopesOf('k')} as scopes, k.project_ids, k.user_id, k.last_user_id,
  k.expires_at, k.allowed_addresses, k.revoked_at, k.paused, t.paused as tenant_paused`

/** A secret's hash tells which tenant it belongs to; all else is read from that tenant. */
export const findSecretOwner = async (db: Sql, hash: string): Promise<SecretOwner | undefined> => {
  const place = await db.lookup<{ tenant_id: string; key_id: string }>(
    'select tenant_id, key_id from key_hashes where hash = ?',
    [hash],
  )
  if (!place) return undefined
  return db.lookup(
    `select ${ownerColumns}, s.expires_at as secret_expires_at
     from key_secrets s
     join api_keys k on k.tenant_id = :tenant and k.id = s.key_id
     join tenants t on t.tenant_id = :tenant and t.deleting_at is null
     where s.tenant_id = ? and s.key_id = ? and s.hash = ?`,
    [place.tenant_id, place.key_id, hash],
  )
}

/** A key in use as it is now, whatever has become of it; it stays so until the transaction ends. */
export const holdKey = async (
  db: Sql,
  { tenantId, keyId, secretHash }: Actor,
): Promise<Omit<SecretOwner, 'plan'> | undefined> => {
  const [key, secret] = await Promise.all([
    db.get<Omit<SecretOwner, 'plan' | 'secret_expires_at'>>(
      `select tenant_id, id, name, prefix, ${scopesOf('api_keys')} as scopes, project_ids, user_id, last_user_id, expires_at, allowed_addresses,
         revoked_at, paused, (select t.paused from tenants t where t.tenant_id = ?) as tenant_paused
       from api_keys where tenant_id = ? and id = ?
         and not exists (select 1 from tenants t where t.tenant_id = :tenant and t.deleting_at is not null)${db.dialect.forShare}`,
      [tenantId, tenantId, keyId],
    ),
    db.get<{ expires_at: number | null }>(
      'select expires_at from key_secrets where tenant_id = ? and key_id = ? and hash = ?',
      [tenantId, keyId, secretHash ?? ''],
    ),
  ])
  if (!key || !secretHash) return key && { ...key, secret_expires_at: null }
  return secret && { ...key, secret_expires_at: secret.expires_at }
}

/** A key by its id, whatever has become of it. */
export const findKeyOwner = async (db: Sql, tenantId: string, id: string): Promise<SecretOwner | undefined> =>
  db.lookup(
    `select ${ownerColumns}, null as secret_expires_at
     from api_keys k join tenants t on t.tenant_id = :tenant and t.deleting_at is null
     where k.tenant_id = ? and k.id = ?`,
    [tenantId, id],
  )

interface KeyRights {
  userId: string
  scopes: Scope[]
  projectIds: string[] | null
  expiresAtMs: number | null
  isRevoked: boolean
}

/** The keys of some users, also those that are revoked. */
export const listKeysOfUsers = async (db: Sql, tenantId: string, userIds: readonly string[]): Promise<KeyRights[]> => {
  const rows = await db.all<
    Pick<SecretOwner, 'scopes' | 'project_ids' | 'expires_at' | 'revoked_at'> & { user_id: string }
  >(
    `select user_id, ${scopesOf('api_keys')} as scopes, project_ids, expires_at, revoked_at from api_keys
     where tenant_id = ? and ${db.dialect.isAmong('user_id', 'text')}`,
    [tenantId, db.dialect.listOf(userIds)],
  )
  return rows.map((row) => ({
    userId: row.user_id,
    scopes: JSON.parse(row.scopes) as Scope[],
    projectIds: row.project_ids === null ? null : (JSON.parse(row.project_ids) as string[]),
    expiresAtMs: row.expires_at,
    isRevoked: row.revoked_at !== null,
  }))
}

/** The key through which a user acts after signing in, also when it is revoked. */
export const findSignInKey = async (
  db: Sql,
  tenantId: string,
  userId: string,
): Promise<{ id: string; isRevoked: boolean } | undefined> => {
  const row = await db.get<{ id: string; revoked_at: number | null }>(
    `select id, revoked_at from api_keys where tenant_id = ? and user_id = ? and prefix = ''
     order by created_at desc limit 1`,
    [tenantId, userId],
  )
  return row && { id: row.id, isRevoked: row.revoked_at !== null }
}
