import type { Clock } from '../../../base/clock.js'
import type { Sql } from '../../../db/port.js'
import { sessionEnded } from './errors.js'
import { findSession, type StoredSession } from './store.js'

/** A session as it is now; throws where it has ended. */
export const liveSession = async (
  db: Sql,
  clock: Clock,
  tenantId: string,
  sessionId: string,
  lock?: 'forShare',
): Promise<StoredSession> => {
  const session = await findSession(db, tenantId, sessionId, clock(), lock)
  if (!session) throw sessionEnded()
  return session
}

/** The same, and it does not end before the transaction does. */
export const holdSession = (db: Sql, clock: Clock, tenantId: string, sessionId: string): Promise<StoredSession> =>
  liveSession(db, clock, tenantId, sessionId, 'forShare')
