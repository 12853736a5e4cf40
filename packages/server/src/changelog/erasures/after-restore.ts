import { systemClock } from '../../base/clock.js'
import type { Sql } from '../../db/port.js'
import { operatorCall } from '../../operations/call.js'
import { beginErasure } from './service.js'

/** By tenant, the users who were erased in the store that is replaced. */
export type ErasedUsers = ReadonlyMap<string, readonly string[]>

/** Has those erased again whom a backup from before brings back. */
export const eraseAgain = async (tx: Sql, tenantId: string, erased: ErasedUsers): Promise<void> => {
  for (const userId of erased.get(tenantId) ?? [])
    await beginErasure(operatorCall(tx, systemClock, tenantId), userId, [])
}
