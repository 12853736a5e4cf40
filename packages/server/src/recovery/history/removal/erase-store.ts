import type { Sql } from '../../../db/port.js'

export const findPackAfter = async (
  db: Sql,
  tenantId: string,
  afterId: string,
): Promise<{ id: string; format: number; data: Uint8Array } | undefined> =>
  db.get('select id, format, data from history_packs where tenant_id = ? and id > ? order by id limit 1', [
    tenantId,
    afterId,
  ])

/** Answers how many packs there were. */
export const rewritePack = async (
  db: Sql,
  tenantId: string,
  id: string,
  rawBytes: number,
  data: Uint8Array,
): Promise<number> =>
  db.run('update history_packs set raw_bytes = ?, data = ? where tenant_id = ? and id = ?', [
    rawBytes,
    data,
    tenantId,
    id,
  ])
