import type { Sql } from '../../db/port.js'

interface Pack {
  id: string
  format: number
  data: Uint8Array
}

export const findPack = async (db: Sql, tenantId: string, id: string): Promise<Pack | undefined> =>
  db.get('select id, format, data from history_packs where tenant_id = ? and id = ?', [tenantId, id])
