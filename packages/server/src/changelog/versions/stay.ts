import type { Sql } from '../../db/port.js'
import { findDeletionBefore, findStayStart, type StayStart } from './store.js'
import type { MoveRest, Position, RestoreRest } from './version.js'

/** A record's history at one place up to a change. Other items may have had the place before. */
export interface Stay {
  record: string
  upTo: Position
}

/** Where a stay began with a move; undefined where it began otherwise. */
export const arrivalOf = async (db: Sql, tenantId: string, { record, upTo }: Stay): Promise<Position | undefined> => {
  const start = await findStayStart(db, tenantId, record, upTo)
  return start?.type === 'knowledge.moved' ? [start.sequence, start.place] : undefined
}

/** Rows of earlier releases lack the deletion. */
const deletionOf = async (
  db: Sql,
  tenantId: string,
  { record, sequence, rest }: StayStart,
): Promise<Position | null> =>
  rest === null
    ? ((await findDeletionBefore(db, tenantId, record, sequence)) ?? null)
    : (JSON.parse(rest) as RestoreRest).deletion

/** Where the history of a record goes on before it was moved or restored; undefined where it begins. */
export const stayBefore = async (db: Sql, tenantId: string, start: StayStart): Promise<Stay | undefined> => {
  const { type, record, sequence, rest } = start
  if (type === 'knowledge.moved' && rest) return { record: (JSON.parse(rest) as MoveRest).from, upTo: [sequence, 1] }
  const upTo = type.endsWith('.restored') ? await deletionOf(db, tenantId, start) : null
  return upTo ? { record, upTo } : undefined
}
