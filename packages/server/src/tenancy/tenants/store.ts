import { isoTime } from '../../base/clock.js'
import type { Sql } from '../../db/port.js'
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

/** Answers false where the name is taken. */
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
  const row = await db.get<TenantRow>(`select ${columns} from tenants where tenant_id = ?`, [id])
  return row && tenantOf(row)
}

export const listTenants = async (db: Sql): Promise<Tenant[]> => {
  const rows = await db.all<TenantRow>(`select ${columns} from tenants order by created_at, tenant_id`)
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

/** Children first, as the foreign keys ask. */
export const tablesOfTenant = [
  'console_sessions',
  'console_links',
  'logout_tokens',
  'audit_entries',
  'open_streams',
  'usage_counts',
  'agent_waits',
  'ended_claims',
  'due_work',
  'deletions',
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
  'stream_tickets',
  'webhook_deliveries',
  'webhook_secrets',
  'webhooks',
  'limit_windows',
  'idempotent_requests',
  'events',
  'stale_checks',
  'stale_marks',
  'task_products',
  'task_basis',
  'relied_items',
  'knowledge_links',
  'knowledge_tags',
  'retired_knowledge',
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
  'tenants',
]

export const deleteTenant = async (db: Sql, id: string): Promise<void> => {
  for (const table of tablesOfTenant) await db.run(`delete from ${table} where tenant_id = ?`, [id])
}
