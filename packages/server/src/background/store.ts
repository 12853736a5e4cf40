import type { DueKey, DueTime, WorkKind } from '../db/known-due-times.js'
import type { Sql, Statement } from '../db/port.js'

/** A row that is there already is locked, so that who deletes it waits for this transaction and sees what it wrote. */
export const insertDue = ({ tenantId, kind, dueAtMs }: DueTime): Statement => ({
  text: `insert into due_work (tenant_id, kind, due_at) values (?, ?, ?)
         on conflict (tenant_id, kind, due_at) do update set due_at = excluded.due_at`,
  params: [tenantId, kind, dueAtMs],
})

interface DueRow {
  tenant_id: string
  kind: WorkKind
  due_at: number
}

const timeOf = ({ tenant_id, kind, due_at }: DueRow): DueTime => ({ tenantId: tenant_id, kind, dueAtMs: due_at })

/** Rows of a kind whose time is no later than a time. */
export interface DueRange {
  kind: WorkKind
  upToMs: number
}

/** Tenants whose work nobody does now, up to a count of each kind: what has failed comes last, then the oldest first. */
export const findDue = async (
  db: Sql,
  ranges: readonly (DueRange & { count: number })[],
): Promise<readonly DueTime[]> => {
  if (ranges.length === 0) return []
  const part = `select * from (select d.tenant_id, d.kind, min(d.due_at) as due_at from due_work d
    where d.kind = ? and d.due_at <= ? and not exists (select 1 from due_work l
      where l.tenant_id = d.tenant_id and l.kind = d.kind and l.leased_until > ${db.dialect.nowMs})
    group by d.tenant_id, d.kind order by max(d.failures), min(d.due_at) limit cast(? as bigint)) part`
  const rows = await db.all<DueRow>(
    ranges.map(() => part).join(' union all '),
    ranges.flatMap(({ kind, upToMs, count }) => [kind, upToMs, count]),
  )
  return rows.map(timeOf)
}

/**
 * Returns, for each kind, how many tenants have due work that no node is doing, and the oldest due time. `busy` lists
 * the tenants that this node serves.
 */
export const countDue = async (
  db: Sql,
  ranges: readonly (DueRange & { busy: readonly string[] })[],
): Promise<{ kind: WorkKind; count: number; oldestMs: number | null }[]> =>
  db.all(
    ranges
      .map(
        ({ kind }) => `select '${kind}' as kind, count(distinct tenant_id) as count, min(due_at) as "oldestMs"
          from due_work where kind = '${kind}' and due_at <= ?
            and (failures > 0 or (leased_until <= ${db.dialect.nowMs} and not (${db.dialect.isAmong('tenant_id', 'text')})))`,
      )
      .join(' union all '),
    ranges.flatMap(({ upToMs, busy }) => [upToMs, db.dialect.listOf(busy)]),
  )

/** A tenant's rows of a kind up to a time. */
export type DueRows = DueKey & DueRange

const ofRows = 'tenant_id = ? and kind = ? and due_at <= ?'
const paramsOf = ({ tenantId, kind, upToMs }: DueRows) => [tenantId, kind, upToMs]

/**
 * Leases one kind of a tenant's work; returns false if another node holds the lease. Locks all rows of that work first,
 * so that a row added concurrently is not leased separately from the rows that another node has just leased.
 */
export const lease = async (db: Sql, rows: DueRows, leaseMs: number): Promise<boolean> => {
  const { nowMs, forUpdate } = db.dialect
  const text = `with known as materialized (
      select leased_until from due_work where tenant_id = ? and kind = ? order by due_at${forUpdate}
    )
    update due_work set leased_until = ${nowMs} + ?
    where ${ofRows} and not exists (select 1 from known where known.leased_until > ${nowMs})`
  return (await db.run(text, [rows.tenantId, rows.kind, leaseMs, ...paramsOf(rows)])) > 0
}

/** Extends the unexpired leases of a kind, and returns their tenants. */
export const renewLeases = async (
  db: Sql,
  kind: WorkKind,
  tenantIds: readonly string[],
  leaseMs: number,
): Promise<ReadonlySet<string>> => {
  const { nowMs, isAmong, listOf } = db.dialect
  const rows = await db.runReturning<{ tenant_id: string }>(
    `update due_work set leased_until = ${nowMs} + ?
     where kind = ? and ${isAmong('tenant_id', 'text')} and leased_until > ${nowMs} returning tenant_id`,
    [leaseMs, kind, listOf(tenantIds)],
  )
  return new Set(rows.map(({ tenant_id }) => tenant_id))
}

/** How often in a row it has failed. */
export const countFailures = async (db: Sql, rows: DueRows): Promise<number> => {
  const text = `select max(failures) as failures from due_work where ${ofRows}`
  return (await db.get<{ failures: number | null }>(text, paramsOf(rows)))?.failures ?? 0
}

export const postpone = async (db: Sql, rows: DueRows, delayMs: number): Promise<void> => {
  const text = `update due_work set leased_until = ${db.dialect.nowMs} + ?, failures = failures + 1 where ${ofRows}`
  await db.run(text, [delayMs, ...paramsOf(rows)])
}

export const deleteDue = async (db: Sql, rows: DueRows): Promise<void> => {
  await db.run(`delete from due_work where ${ofRows}`, paramsOf(rows))
}

export const hasDueBy = async (db: Sql, rows: DueRows): Promise<boolean> =>
  (await db.get(`select 1 as one from due_work where ${ofRows} limit 1`, paramsOf(rows))) !== undefined

/** The earliest times of tenants that are after a time. */
export const findTimes = async (
  db: Sql,
  kind: WorkKind,
  tenantIds: readonly string[],
  afterMs: number,
): Promise<readonly DueTime[]> => {
  const rows = await db.all<DueRow>(
    `select tenant_id, kind, min(due_at) as due_at from due_work
     where ${db.dialect.isAmong('tenant_id', 'text')} and kind = ? and due_at > ? group by tenant_id, kind`,
    [db.dialect.listOf(tenantIds), kind, afterMs],
  )
  return rows.map(timeOf)
}

/** Tenants that have work of a kind at some time. */
export const listTenantsWith = async (db: Sql, kind: WorkKind, count: number): Promise<string[]> => {
  const rows = await db.all<{ tenant_id: string }>(
    'select distinct tenant_id from due_work where kind = ? limit cast(? as bigint)',
    [kind, count],
  )
  return rows.map(({ tenant_id }) => tenant_id)
}
