import { systemClock } from '../../base/clock.js'
import type { AgedRows } from '../../db/aged-rows.js'
import type { ErasedTexts } from '../../db/erased-texts.js'
import type { Sql } from '../../db/port.js'
import { operatorCall } from '../../operations/call.js'
import { audit } from './service.js'

const keptForMs = 365 * 86_400_000

export const agedAuditEntries: AgedRows = {
  table: 'audit_entries',
  key: ['id'],
  age: 'created_at',
  upTo: (nowMs) => nowMs - keptForMs,
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
