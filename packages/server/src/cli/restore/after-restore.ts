import { noteRestore } from '../../changelog/audit/maintenance.js'
import { noTenant } from '../../changelog/audit/service.js'
import { type ErasedUsers, eraseAgain } from '../../changelog/erasures/service.js'
import type { Db, Sql } from '../../db/port.js'
import { restartLog } from '../../subscribers/events/maintenance.js'
import { restartSearch } from '../../subscribers/search/after-restore.js'
import { settleDeliveries } from '../../subscribers/webhooks/maintenance.js'
import { endSessions } from '../../tenancy/keys/sessions/ending.js'
import { listTenants } from '../../tenancy/tenants/service.js'
import { restartClaims } from '../../work/tasks/claims/maintenance.js'

/** Brings one tenant's part of a restored store in line with what was given out before. */
type AfterRestoreStep = (tx: Sql, tenantId: string, highestSequence: number) => Promise<void>

/** In order: what ends claims writes events, which go with the log; the later ones build on the new sequence. */
const steps: readonly AfterRestoreStep[] = [
  restartClaims,
  endSessions,
  restartLog,
  settleDeliveries,
  restartSearch,
  noteRestore,
]

/**
 * Makes a restored store safe to serve: whoever holds a position, a lease or a number from before can tell that it is
 * of another time. `sequences` has the highest known sequence of each tenant elsewhere, as in the store that was
 * replaced, and `erased` those who were erased there. Answers how many tenants there are.
 */
export const afterRestore = async (
  db: Db,
  sequences: ReadonlyMap<string, number> = new Map(),
  erased: ErasedUsers = new Map(),
): Promise<number> => {
  const tenants = await listTenants(db)
  await db.migrationTransaction(async (tx) => {
    for (const { id } of tenants) {
      // The log, which knows their names, is emptied next.
      await eraseAgain(tx, id, erased)
      for (const step of steps) await step(tx, id, sequences.get(id) ?? 0)
    }
    await noteRestore(tx, noTenant)
  })
  return tenants.length
}
