import type { Db } from '../db/port.js'

/** A step is short, so that writers wait for none. */
const eventsPerStep = 1_000

const trimTenant = async (db: Db, tenantId: string, beforeMs: number): Promise<void> => {
  for (;;) {
    // The newest of the oldest thousand that are past their time.
    const step = await db.get<{ sequence: number | null }>(
      `select max(sequence) as sequence from
         (select sequence, created_at from events where tenant_id = ? order by sequence limit ${eventsPerStep}) oldest
       where created_at < ?`,
      [tenantId, beforeMs],
    )
    if (!step?.sequence) return
    const removed = await db.run('delete from events where tenant_id = ? and sequence <= ?', [tenantId, step.sequence])
    if (removed < eventsPerStep) return
  }
}

/** Forgets events from before a time, for all tenants. */
export const trimEvents = async (db: Db, beforeMs: number): Promise<void> => {
  const tenants = await db.all<{ tenant_id: string }>('select tenant_id from tenants')
  for (const { tenant_id } of tenants) await trimTenant(db, tenant_id, beforeMs)
}
