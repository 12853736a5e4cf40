import { isoTime } from '../../base/clock.js'
import type { Db, Sql } from '../../db/port.js'
import type { Paused } from '../../operations/actor.js'
import { parsePaused } from '../pauses/schema.js'

export interface Tenant {
  id: string
  name: string
  plan: string
  createdAt: string
  paused: Paused | null
}

interface TenantRow {
  tenant_id: string
  name: string
  plan: string
  created_at: number
  paused: string | null
}

const columns = 'tenant_id, name, plan, created_at, paused'

const tenantOf = (row: TenantRow): Tenant => ({
  id: row.tenant_id,
  name: row.name,
  plan: row.plan,
  createdAt: isoTime(row.created_at),
  paused: parsePaused(row.paused),
})

/** Returns false if the name is taken. */
export const insertTenant = async (db: Sql, tenant: Tenant): Promise<boolean> => {
  const named = await db.run('insert into tenant_names (name, tenant_id) values (?, ?) on conflict (name) do nothing', [
    tenant.name,
    tenant.id,
  ])
  if (named === 0) return false
  await db.run('insert into tenants (tenant_id, name, plan, created_at) values (?, ?, ?, ?)', [
    tenant.id,
    tenant.name,
    tenant.plan,
    Date.parse(tenant.createdAt),
  ])
  return true
}

const idNamed = async (db: Sql, ref: string): Promise<string | undefined> => {
  if (ref.startsWith('ten_')) return ref
  const row = await db.get<{ tenant_id: string }>('select tenant_id from tenant_names where name = ?', [ref])
  return row?.tenant_id
}

export const findTenant = async (db: Sql, ref: string): Promise<Tenant | undefined> => {
  const id = await idNamed(db, ref)
  if (id === undefined) return undefined
  const row = await db.get<TenantRow>(`select ${columns} from tenants where tenant_id = ? and deleting_at is null`, [
    id,
  ])
  return row && tenantOf(row)
}

export const listTenants = async (db: Sql): Promise<Tenant[]> => {
  const rows = await db.all<TenantRow>(
    `select ${columns} from tenants where deleting_at is null order by created_at, tenant_id`,
  )
  return rows.map(tenantOf)
}

export const listTenantIds = async (db: Sql): Promise<string[]> => {
  const rows = await db.all<{ tenant_id: string }>('select tenant_id from tenant_names')
  return rows.map(({ tenant_id }) => tenant_id)
}

export const plansInUse = async (db: Sql): Promise<string[]> => {
  const rows = await db.all<{ plan: string }>('select distinct plan from tenants')
  return rows.map(({ plan }) => plan)
}

export const setPlan = async (db: Sql, id: string, plan: string): Promise<void> => {
  await db.run('update tenants set plan = ? where tenant_id = ?', [plan, id])
}

export const setPaused = async (db: Sql, id: string, paused: Paused | null): Promise<void> => {
  await db.run('update tenants set paused = ? where tenant_id = ?', [paused && JSON.stringify(paused), id])
}

/** All tables with rows of tenants except `tenants`, children first because of the foreign keys. */
export const tablesOfTenant = [
  // Work that the service would otherwise continue on its own.
  'due_work',
  'webhook_deliveries',
  'webhook_secrets',
  'webhooks',
  'embedding_queue',
  'embedding_positions',
  'embeddings',
  'search_snapshots',
  'console_sessions',
  'console_links',
  'logout_tokens',
  'audit_entries',
  'open_streams',
  'usage_counts',
  'agent_waits',
  'ended_claims',
  'deletions',
  'severed_links',
  'erasures',
  'inbox_entries',
  'trash',
  'history',
  'history_packs',
  'history_positions',
  'comments',
  'questions',
  'ready_tasks',
  'task_resources',
  'task_links',
  'limit_windows',
  'idempotent_requests',
  'events',
  'stale_checks',
  'stale_marks',
  'task_products',
  'task_basis',
  'knowledge_links',
  'knowledge_tags',
  'knowledge_supersedes',
  'knowledge_keys',
  'knowledge',
  'task_labels',
  'tasks',
  'key_hashes',
  'key_secrets',
  'api_keys',
  'user_identities',
  'users',
  'project_members',
  'deleted_private_projects',
  'retired_projects',
  'projects',
  'tenant_names',
]

/** Frees the name and makes the tenant unusable: none of its keys is valid, and background work skips it. */
export const markDeleting = async (db: Sql, id: string, nowMs: number): Promise<void> => {
  await db.runAll([
    { text: 'update tenants set deleting_at = ? where tenant_id = ?', params: [nowMs, id] },
    ...['tenant_names', 'due_work'].map((table) => ({
      text: `delete from ${table} where tenant_id = ?`,
      params: [id],
    })),
  ])
}

/** Finds a tenant whose deletion has begun, by its ID or former name. */
export const findDeleting = async (db: Sql, ref: string): Promise<Tenant | undefined> =>
  (await listDeleting(db)).find(({ id, name }) => id === ref || name === ref)

export const listDeleting = async (db: Sql): Promise<Tenant[]> => {
  const rows = await db.all<TenantRow>(`select ${columns} from tenants where deleting_at is not null`)
  return rows.map(tenantOf)
}

/** Deletes about `count` rows of a tenant from a table, in the order of its primary key; returns how many. */
export const deleteSome = async (
  db: Db,
  table: string,
  key: readonly string[],
  tenantId: string,
  count: number,
): Promise<number> => {
  const columns = key.join(', ')
  const end =
    key.length === 0
      ? undefined
      : await db.get<Record<string, string | number>>(
          `select ${columns} from ${table} where tenant_id = ? order by ${columns} limit 1 offset cast(? as bigint)`,
          [tenantId, count],
        )
  const before = end ? ` and (${columns}) < (${key.map(() => '?').join(', ')})` : ''
  const parameters = end ? [tenantId, ...key.map((name) => end[name]!)] : [tenantId]
  return db.transaction(async (tx) => tx.run(`delete from ${table} where tenant_id = ?${before}`, parameters), tenantId)
}

/** Returns the primary key columns other than the tenant. */
export const keyWithinTenant = async (db: Sql, table: string): Promise<string[]> => {
  const rows = await db.all<{ name: string }>(db.dialect.primaryKeyColumns, [table])
  return rows.map(({ name }) => name).filter((name) => name !== 'tenant_id')
}

/** Deletes the remaining rows of a tenant, which are few once its tables were emptied. */
export const deleteTenant = async (db: Sql, id: string): Promise<void> => {
  for (const table of [...tablesOfTenant, 'tenants']) await db.run(`delete from ${table} where tenant_id = ?`, [id])
}
