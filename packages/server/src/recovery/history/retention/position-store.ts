import type { Sql } from '../../../db/port.js'

/** How far the service's own rounds have come with a tenant. */
interface Positions {
  /** Changes up to here are packed. */
  packed: number
  /** Changes up to here were looked at in the round over old versions that is under way. */
  trimmed: number
  /** When the last such round ended. */
  trimmedAtMs: number
  /** The newest deletion that was purged. */
  purged: number
}

const none: Positions = { packed: 0, trimmed: 0, trimmedAtMs: 0, purged: 0 }

export const findPositions = async (db: Sql, tenantId: string): Promise<Positions> =>
  (await db.get<Positions>(
    `select packed_sequence as packed, trimmed_sequence as trimmed, trimmed_at as "trimmedAtMs",
       purged_sequence as purged from history_positions where tenant_id = ?`,
    [tenantId],
  )) ?? none

const columnOf: Record<keyof Positions, string> = {
  packed: 'packed_sequence',
  trimmed: 'trimmed_sequence',
  trimmedAtMs: 'trimmed_at',
  purged: 'purged_sequence',
}

export const setPosition = async (db: Sql, tenantId: string, name: keyof Positions, value: number): Promise<void> => {
  const column = columnOf[name]
  await db.run(
    `insert into history_positions (tenant_id, ${column}) values (?, ?)
     on conflict (tenant_id) do update set ${column} = excluded.${column}`,
    [tenantId, value],
  )
}
