import { isoTime } from '../clock.js'
import type { Sql } from '../db/port.js'

export interface Tenant {
  id: string
  name: string
  plan: string
  createdAt: string
}

interface TenantRow {
  tenant_id: string
  name: string
  plan: string
  created_at: number
}

const columns = 'tenant_id, name, plan, created_at'

const tenantOf = (row: TenantRow): Tenant => ({
  id: row.tenant_id,
  name: row.name,
  plan: row.plan,
  createdAt: isoTime(row.created_at),
})

/** Answers false where the name is taken. */
export const insertTenant = async (db: Sql, tenant: Tenant): Promise<boolean> => {
  const inserted = await db.run(
    'insert into tenants (tenant_id, name, plan, created_at) values (?, ?, ?, ?) on conflict (name) do nothing',
    [tenant.id, tenant.name, tenant.plan, Date.parse(tenant.createdAt)],
  )
  return inserted === 1
}

export const findTenant = async (db: Sql, ref: string): Promise<Tenant | undefined> => {
  const column = ref.startsWith('ten_') ? 'tenant_id' : 'name'
  const row = await db.get<TenantRow>(`select ${columns} from tenants where ${column} = ?`, [ref])
  return row && tenantOf(row)
}

export const listTenants = async (db: Sql): Promise<Tenant[]> => {
  const rows = await db.all<TenantRow>(`select ${columns} from tenants order by created_at, tenant_id`)
  return rows.map(tenantOf)
}

export const plansInUse = async (db: Sql): Promise<string[]> => {
  const rows = await db.all<{ plan: string }>('select distinct plan from tenants')
  return rows.map(({ plan }) => plan)
}

export const setPlan = async (db: Sql, id: string, plan: string): Promise<void> => {
  await db.run('update tenants set plan = ? where tenant_id = ?', [plan, id])
}

/** Children first, as the foreign keys ask. */
const tablesOfTenant = [
  'webhook_deliveries',
  'webhook_secrets',
  'webhooks',
  'limit_windows',
  'idempotent_requests',
  'events',
  'retired_knowledge',
  'knowledge',
  'task_labels',
  'tasks',
  'key_secrets',
  'api_keys',
  'users',
  'retired_projects',
  'projects',
  'tenants',
]

export const deleteTenant = async (db: Sql, id: string): Promise<void> => {
  for (const table of tablesOfTenant) await db.run(`delete from ${table} where tenant_id = ?`, [id])
}
