import { systemClock } from '../../base/clock.js'
import type { Sql } from '../../db/port.js'
import { actorRef } from '../../operations/actor.js'
import { type Call, operatorCall } from '../../operations/call.js'
import { namesInLog } from '../maintenance.js'
import * as store from './store.js'

export type { Erasure, Progress } from './store.js'
export { findOldest as oldestErasureMs, listUnderWay as pendingErasures, setProgress } from './store.js'

/**
 * Notes that a person is to be taken out of all that tells of the past. The service's own rounds do it. False where that
 * was noted before.
 */
export const beginErasure = ({ db, actor, clock }: Call, userId: string, names: readonly string[]): Promise<boolean> =>
  store.insertErasure(
    db,
    { tenantId: actor.tenantId, userId, requestedBy: actorRef(actor), progress: { names, part: 0, after: null } },
    clock(),
  )

/** Whether people of a tenant are being erased. Copies of old texts that are made meanwhile could be missed. */
export const isErasing = (db: Sql, tenantId: string): Promise<boolean> => store.isUnderWay(db, tenantId)

/** By tenant, the users who were erased in the store that is replaced. */
export type ErasedUsers = ReadonlyMap<string, readonly string[]>

/** Has those erased again whom a backup from before brings back. */
export const eraseAgain = async (tx: Sql, tenantId: string, erased: ErasedUsers): Promise<void> => {
  const call = operatorCall(tx, systemClock, tenantId)
  for (const userId of erased.get(tenantId) ?? []) await beginErasure(call, userId, await namesInLog(call, userId))
}
