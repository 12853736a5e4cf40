import type { Sql } from '../../../db/port.js'
import { findPositions, setPosition } from './position-store.js'

/** The newest deletion of a tenant whose record was purged. */
export const purgedSequence = async (db: Sql, tenantId: string): Promise<number> =>
  (await findPositions(db, tenantId)).purged

export const notePurged = async (db: Sql, tenantId: string, sequence: number): Promise<void> => {
  if (sequence > (await purgedSequence(db, tenantId))) await setPosition(db, tenantId, 'purged', sequence)
}
