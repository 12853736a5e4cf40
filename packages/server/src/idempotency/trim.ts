import type { Db } from '../db/port.js'
import { keptForMs } from './service.js'

/** Forgets what is past its day, for all tenants. */
export const trimIdempotentRequests = async (db: Db, nowMs: number): Promise<void> => {
  const tenants = await db.all<{ tenant_id: string }>('select tenant_id from tenants')
  for (const { tenant_id } of tenants) {
    await db.run('delete from idempotent_requests where tenant_id = ? and created_at <= ?', [
      tenant_id,
      nowMs - keptForMs,
    ])
  }
}
