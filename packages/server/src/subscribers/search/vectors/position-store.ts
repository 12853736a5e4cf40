import type { Awaitable } from '../../../base/awaitable.js'
import type { Sql } from '../../../db/port.js'
import type { VectorSet } from './vector-set.js'

/** The position of a tenant whose documents are still being put into the queue. */
export const NOT_FILLED = -1

export interface LogPosition {
  lastSequence: number
  /** Null where the tenant was never read for this model. */
  position: number | null
  /** For how long it has not been noted that the model is in use. */
  unseenMs: number
}

/** How far a tenant's log was read for a model; undefined for no tenant. */
export const findPosition = (db: Sql, { tenantId, model }: VectorSet): Awaitable<LogPosition | undefined> =>
  db.get(
    `select t.last_sequence as "lastSequence", p.position, ${db.dialect.nowMs} - coalesce(p.seen_at, 0) as "unseenMs"
     from tenants t left join embedding_positions p on p.tenant_id = :tenant and p.model = ?
     where t.tenant_id = ?`,
    [model, tenantId],
  )

/** Where the log was read to; NOT_FILLED where it begins only now. */
export const beginPosition = async (db: Sql, { tenantId, model }: VectorSet): Promise<number | undefined> => {
  await db.run(
    `insert into embedding_positions (tenant_id, model, position, seen_at) values (?, ?, ${NOT_FILLED}, ${db.dialect.nowMs})
     on conflict (tenant_id, model) do nothing`,
    [tenantId, model],
  )
  const row = await db.get<{ position: number }>(
    'select position from embedding_positions where tenant_id = ? and model = ?',
    [tenantId, model],
  )
  return row?.position
}

/** False where another node has moved it meanwhile. */
export const movePosition = async (
  db: Sql,
  { tenantId, model }: VectorSet,
  [from, to]: readonly [from: number, to: number],
): Promise<boolean> =>
  (await db.run('update embedding_positions set position = ? where tenant_id = ? and model = ? and position = ?', [
    to,
    tenantId,
    model,
    from,
  ])) === 1

/** The number of a new change. The row stays locked until the commit, so that changes are numbered in commit order. */
export const nextChange = async (db: Sql, { tenantId, model }: VectorSet): Promise<number | undefined> =>
  (
    await db.runReturning<{ last_change: number }>(
      `update embedding_positions set last_change = last_change + 1 where tenant_id = ? and model = ?
       returning last_change`,
      [tenantId, model],
    )
  )[0]?.last_change

export const lastChange = async (db: Sql, { tenantId, model }: VectorSet): Promise<number> => {
  const row = await db.lookup<{ last_change: number }>(
    'select last_change from embedding_positions where tenant_id = ? and model = ?',
    [tenantId, model],
  )
  return row?.last_change ?? 0
}

/** Lets it be known that this model is in use. */
export const noteUse = async (db: Sql, { tenantId, model }: VectorSet): Promise<void> => {
  await db.run(`update embedding_positions set seen_at = ${db.dialect.nowMs} where tenant_id = ? and model = ?`, [
    tenantId,
    model,
  ])
}

/** The other models of a tenant that no node has used for so long. */
export const unusedModels = async (db: Sql, { tenantId, model }: VectorSet, unusedMs: number): Promise<string[]> => {
  const rows = await db.all<{ model: string }>(
    `select model from embedding_positions
     where tenant_id = ? and model <> ? and seen_at < ${db.dialect.nowMs} - cast(? as bigint)`,
    [tenantId, model, unusedMs],
  )
  return rows.map(({ model }) => model)
}

export const deletePosition = async (db: Sql, { tenantId, model }: VectorSet): Promise<void> => {
  await db.run('delete from embedding_positions where tenant_id = ? and model = ?', [tenantId, model])
}

/** Of every model: all documents of the tenant are put into the queue again. */
export const resetPositions = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run(`update embedding_positions set position = ${NOT_FILLED} where tenant_id = ?`, [tenantId])
}
