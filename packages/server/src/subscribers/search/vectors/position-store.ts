import type { Sql } from '../../../db/port.js'
import type { VectorSet } from './vector-set.js'

/** The position of a tenant whose documents are still being put into the queue. */
export const NOT_FILLED = -1

export interface TenantBehind {
  tenant_id: string
  last_sequence: number
  /** Null where the tenant was never read for this model. */
  position: number | null
}

/** All tenants: those whose log has more than was read for this model. */
export const tenantsBehind = async (db: Sql, model: string, count: number): Promise<TenantBehind[]> =>
  db.all(
    `select t.tenant_id, t.last_sequence, p.position from tenants t
     left join embedding_positions p on p.tenant_id = t.tenant_id and p.model = ?
     where p.position is null or p.position <> t.last_sequence limit cast(? as bigint)`,
    [model, count],
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

/** All tenants: lets it be known that this model is in use. */
export const noteUse = async (db: Sql, model: string): Promise<void> => {
  await db.run(`update embedding_positions set seen_at = ${db.dialect.nowMs} where model = ?`, [model])
}

/** All tenants: the vector sets of models that no node has used for so long. */
export const unusedVectorSets = async (db: Sql, model: string, unusedMs: number): Promise<VectorSet[]> =>
  db.all(
    `select tenant_id as "tenantId", model from embedding_positions
     where model <> ? and seen_at < ${db.dialect.nowMs} - cast(? as bigint)`,
    [model, unusedMs],
  )

export const deletePosition = async (db: Sql, { tenantId, model }: VectorSet): Promise<void> => {
  await db.run('delete from embedding_positions where tenant_id = ? and model = ?', [tenantId, model])
}

/** Of every model: all documents of the tenant are put into the queue again. */
export const resetPositions = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run(`update embedding_positions set position = ${NOT_FILLED} where tenant_id = ?`, [tenantId])
}
