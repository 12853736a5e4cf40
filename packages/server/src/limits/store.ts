import type { Dialect } from '../db/dialect.js'
import type { Sql } from '../db/port.js'
import type { Counts } from './decision.js'
import { type WindowKind, windowKinds } from './windows.js'

/** The columns of a row are named by the window kinds. */
export type CountsRow = Readonly<Record<string, number>>

const countColumns = windowKinds.flatMap(({ column }) => [`${column}_opened_at`, `${column}_used`])

export const countsOf = (row: CountsRow): Counts =>
  windowKinds.map(({ column }) => ({ openedAtMs: row[`${column}_opened_at`]!, used: row[`${column}_used`]! }))

const selectText = `select ${countColumns.join(', ')} from limit_windows where tenant_id = ?`

export const selectCounts = async (sql: Sql, tenantId: string): Promise<CountsRow | undefined> =>
  sql.get<CountsRow>(selectText, [tenantId])

// Reads the tenant from its table, so that one deleted meanwhile is passed over.
const upsertText = `insert into limit_windows (tenant_id, ${countColumns.join(', ')})
  select tenant_id, ${countColumns.map(() => '?').join(', ')} from tenants where tenant_id = ?
  on conflict (tenant_id) do update set ${countColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`

/** `aheadMs` is how far the calendar is ahead of the clock that the counts are kept in. */
export const upsertCounts = async (sql: Sql, tenantId: string, counts: Counts, aheadMs: number): Promise<number> =>
  sql.run(upsertText, [...counts.flatMap(({ openedAtMs, used }) => [openedAtMs + aheadMs, used]), tenantId])

/** So many admissions that cost the same, at their place in the order in which they are decided. */
type AskedRow = Record<string, number>

const askedColumns = {
  place: 'bigint',
  times: 'bigint',
  ...Object.fromEntries(windowKinds.map(({ column }) => [column, 'bigint'])),
} as Record<string, 'bigint'>

/** Places begin with 1. */
export const askedRow = (place: number, times: number, costs: readonly number[]): AskedRow => ({
  place,
  times,
  ...Object.fromEntries(windowKinds.map(({ column, at }) => [column, costs[at]!])),
})

/** The same rule as that of the decision in memory: see `settle`. */
const settled = ({ column, lengthSeconds }: WindowKind): string => {
  const isOpen = `${column}_used > 0 and ${column}_opened_at > now_ms - ${lengthSeconds * 1_000}`
  return `case when ${isOpen} then ${column}_used else 0 end as ${column}_used,
    case when ${isOpen} and ${column}_opened_at <= now_ms then ${column}_opened_at else now_ms end as ${column}_opened_at`
}

const inAll = (part: (kind: WindowKind) => string): string => windowKinds.map(part).join(', ')

/** How often the cost of a row fits into what is left of a window, whose limit is a parameter. */
const fitting = ({ column }: WindowKind): string =>
  `case when asked.${column} = 0 then asked.times
        else greatest(0, cast(? as bigint) - step.${column}_used) / asked.${column} end`

/**
 * Decides over all admissions of a tenant that wait together, in one statement, and answers the tenant's counts as
 * they stood before it. The clock is read when the row is locked. Each step decides over those that cost the same,
 * after the step before. Refused ones write nothing. Parameters: the tenant, the clock where it is one, the rows asked
 * for, the limits of the windows.
 */
export const admitStatement = (dialect: Dialect, nowMs: string): string =>
  `with recursive locked as (select * from limit_windows where tenant_id = ?${dialect.forUpdate}),
  timed as (select *, ${nowMs} as now_ms, ${dialect.commitSoon} as commit_soon from locked),
  standing as materialized (select now_ms, commit_soon, ${inAll(settled)} from timed),
  asked as materialized (select * from ${dialect.rowsOf(askedColumns)}),
  step as (
    select cast(0 as bigint) as place, cast(0 as bigint) as granted, ${inAll(({ column }) => `${column}_used`)}
    from standing
    union all
    select asked.place, fits.times,
      ${inAll(({ column }) => `step.${column}_used + fits.times * asked.${column}`)}
    from step join asked on asked.place = step.place + 1
    cross join lateral (select least(asked.times, ${inAll(fitting)}) as times) as fits
  ),
  counted as (
    update limit_windows as windows set ${inAll(
      ({ column }) => `${column}_opened_at = standing.${column}_opened_at, ${column}_used = taken.${column}_used`,
    )}
    from standing,
      (select sum(granted) as granted, ${inAll(({ column }) => `max(${column}_used) as ${column}_used`)} from step) as taken
    where windows.tenant_id = :tenant and taken.granted > 0
  )
  select now_ms, ${countColumns.join(', ')} from standing`

/** Subtracts one request from the windows at these indexes of `windowKinds`. */
export const giveBackStatement = (places: readonly number[]): string =>
  `update limit_windows set ${places
    .map((at) => windowKinds[at]!.column)
    .map((column) => `${column}_used = case when ${column}_used > 0 then ${column}_used - 1 else 0 end`)
    .join(', ')} where tenant_id = ?`

export const addRowStatement = `insert into limit_windows (tenant_id)
  select tenant_id from tenants where tenant_id = ? on conflict (tenant_id) do nothing`

export const lookStatement = (nowMs: string): string =>
  `select ${nowMs} as now_ms, ${countColumns.map((name) => `coalesce(${name}, 0) as ${name}`).join(', ')}
  from (select 1 as one) as one left join limit_windows on tenant_id = ?`
