import type { Sql, Value } from '../../db/port.js'

export type Span = 'minute' | 'hour' | 'day'

/** How often something happened in a span of time. */
export interface CountRow {
  span: Span
  starts_at: number
  key_id: string
  project_id: string
  metric: string
  value: number
}

const countColumns = {
  span: 'text',
  starts_at: 'bigint',
  key_id: 'text',
  project_id: 'text',
  metric: 'text',
  value: 'bigint',
} as const

/** Adds to the counts of a tenant, if it still exists. */
export const addCounts = async (db: Sql, tenantId: string, rows: readonly CountRow[]): Promise<void> => {
  const names = Object.keys(countColumns)
  await db.run(
    `insert into usage_counts (tenant_id, ${names.join(', ')})
     select tenants.tenant_id, ${names.map((name) => `given.${name}`).join(', ')}
     from tenants cross join ${db.dialect.rowsOf(countColumns)} where tenants.tenant_id = ?
     on conflict (tenant_id, span, starts_at, key_id, project_id, metric)
     do update set value = usage_counts.value + excluded.value`,
    [JSON.stringify(rows), tenantId],
  )
}

interface CountFilter {
  span: Span
  sinceMs: number
  keyId?: string | undefined
  projectId?: string | undefined
}

const restrictionsOf = (
  keyId: string | undefined,
  projectId: string | undefined,
): { text: string; params: Value[] } => ({
  text: `${keyId === undefined ? '' : ' and key_id = ?'}${projectId === undefined ? '' : ' and project_id = ?'}`,
  params: [keyId, projectId].filter((value) => value !== undefined),
})

export type CountGroup = 'key_id' | 'project_id' | 'starts_at'

/** The sums of each group and metric. */
export const sumCounts = async (
  db: Sql,
  tenantId: string,
  group: CountGroup,
  { span, sinceMs, keyId, projectId }: CountFilter,
): Promise<{ name: string | number; metric: string; value: number; first_at: number }[]> => {
  const { text, params } = restrictionsOf(keyId, projectId)
  return db.all(
    `select ${group} as name, metric, cast(sum(value) as bigint) as value, min(starts_at) as first_at from usage_counts
     where tenant_id = ? and span = ? and starts_at >= ?${text} group by ${group}, metric`,
    [tenantId, span, sinceMs, ...params],
  )
}

/** The changes of each key in each minute that had some. */
export const listMinutes = async (
  db: Sql,
  tenantId: string,
  { sinceMs, keyId, projectId }: Omit<CountFilter, 'span'>,
): Promise<{ key_id: string; starts_at: number; changes: number }[]> => {
  const { text, params } = restrictionsOf(keyId, projectId)
  return db.all(
    `select key_id, starts_at, cast(sum(value) as bigint) as changes from usage_counts
     where tenant_id = ? and span = 'minute' and starts_at >= ? and metric = 'changes'${text}
     group by key_id, starts_at`,
    [tenantId, sinceMs, ...params],
  )
}

interface WaitRow {
  key_id: string
  worker: string
  waits_until: number
}

const waitColumns = { key_id: 'text', worker: 'text', waits_until: 'bigint' } as const

export const saveWaits = async (db: Sql, tenantId: string, rows: readonly WaitRow[]): Promise<void> => {
  await db.run(
    `insert into agent_waits (tenant_id, key_id, worker, waits_until)
     select tenants.tenant_id, given.key_id, given.worker, given.waits_until
     from tenants cross join ${db.dialect.rowsOf(waitColumns)} where tenants.tenant_id = ?
     on conflict (tenant_id, key_id, worker) do update set waits_until = excluded.waits_until`,
    [JSON.stringify(rows), tenantId],
  )
}

export const listWaits = async (db: Sql, tenantId: string, nowMs: number, count: number): Promise<WaitRow[]> =>
  db.all(
    `select key_id, worker, waits_until from agent_waits where tenant_id = ? and waits_until > ?
     order by waits_until desc limit cast(? as bigint)`,
    [tenantId, nowMs, count],
  )
