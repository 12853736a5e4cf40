import type { Sql } from '../db/port.js'
import type { Counts } from './decision.js'
import { windowKinds } from './windows.js'

/** The columns of a row are named by the window kinds. */
export type CountsRow = Readonly<Record<string, number>>

export const countColumns = windowKinds.flatMap(({ column }) => [`${column}_opened_at`, `${column}_used`])

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
