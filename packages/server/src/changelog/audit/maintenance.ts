import { systemClock } from '../../base/clock.js'
import type { ErasedTexts } from '../../db/erased-texts.js'
import type { Db, Sql } from '../../db/port.js'
import { operatorCall } from '../../operations/call.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import { audit, noTenant } from './service.js'
import * as store from './store.js'

const keptForMs = 365 * 86_400_000
/** A step is short, so that writers wait for none. */
const trimmedPerStep = 1_000

/** Removes entries that are more than a year old, of the tenants and of none. */
export const trimAudit = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn([noTenant, ...tenantIds], async (tenantId) => {
    while ((await store.deleteOldest(db, tenantId, nowMs - keptForMs, trimmedPerStep)) === trimmedPerStep);
  })
}

export const erasedAuditEntries: ErasedTexts = {
  table: 'audit_entries',
  key: ['id'],
  start: [''],
  texts: ['actor', 'details'],
  rowsPerStep: 200,
}

/** Tells a tenant that its records are those of a backup. */
export const noteRestore = (tx: Sql, tenantId: string): Promise<void> =>
  audit(operatorCall(tx, systemClock, tenantId), 'store.restored')
