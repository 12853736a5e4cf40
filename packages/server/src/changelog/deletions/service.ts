import type { Sql } from '../../db/port.js'
import type { Call } from '../../operations/call.js'
import * as store from './store.js'

export type { Deletion } from './store.js'
export { findOldest as oldestDeletionMs } from './store.js'

/** Notes that the rest of a deletion is left to the service's own rounds. */
export const deferDeletion = (call: Call, kind: store.DeletionKind, id: string, record: object): Promise<void> =>
  store.insertDeletion(call.db, { tenantId: call.actor.tenantId, kind, id, record }, call.clock())

/** Whether the rest of a deletion is still to come. */
export const isDeletionPending = (call: Call, kind: store.DeletionKind, id: string): Promise<boolean> =>
  store.hasDeletion(call.db, call.actor.tenantId, kind, id)

/** Stores the progress of a deletion for its next step. */
export const continueDeletion = (call: Call, kind: store.DeletionKind, id: string, record: object): Promise<void> =>
  store.updateDeletion(call.db, { tenantId: call.actor.tenantId, kind, id, record })

export const endDeletion = (call: Call, kind: store.DeletionKind, id: string): Promise<void> =>
  store.deleteDeletion(call.db, { tenantId: call.actor.tenantId, kind, id })

/** The oldest deletions of a tenant that are not complete. */
export const pendingDeletions = (db: Sql, tenantId: string, count: number): Promise<store.Deletion[]> =>
  store.listDeletions(db, tenantId, count)
