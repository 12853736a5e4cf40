import type { Sql } from '../db/port.js'
import { findLogState, type LoggedChange, listChangesAfter } from './change-store.js'

export type { LoggedChange }

/** The newest sequence of a tenant, and the id of the event at another where it is still kept; undefined for no tenant. */
export const logState = (db: Sql, tenantId: string, sequence: number) => findLogState(db, tenantId, sequence)

/** What changed after a sequence, in order. */
export const changesAfter = (db: Sql, tenantId: string, sequence: number, count: number): Promise<LoggedChange[]> =>
  listChangesAfter(db, tenantId, sequence, count)
