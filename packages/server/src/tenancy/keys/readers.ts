import type { Sql } from '../../db/port.js'
import { holdsScope } from '../../operations/actor.js'
import { humanUserIds } from '../users/service.js'
import { listKeysOfUsers } from './store.js'

type MayRead = (userId: string, projectId: string) => boolean

/**
 * Who of some users may read the tasks of a project: those with a key that may, and those who never had a key, which
 * nobody has limited.
 */
export const readersAmong = async (
  db: Sql,
  tenantId: string,
  userIds: readonly string[],
  nowMs: number,
): Promise<MayRead> => {
  const keys = await listKeysOfUsers(db, tenantId, userIds)
  return (userId, projectId) => {
    const own = keys.filter((key) => key.userId === userId)
    const mayRead = own.some(
      ({ scopes, projectIds, isRevoked, expiresAtMs }) =>
        !isRevoked &&
        (expiresAtMs === null || expiresAtMs > nowMs) &&
        holdsScope({ scopes }, 'tasks:read') &&
        (projectIds === null || projectIds.includes(projectId)),
    )
    return mayRead || own.length === 0
  }
}

/** Whether one of the human users may read the tasks of a project. Where there are none, nobody has limited them. */
export const humanReaders = async (
  db: Sql,
  tenantId: string,
  nowMs: number,
): Promise<(projectId: string) => boolean> => {
  const userIds = await humanUserIds(db, tenantId)
  const mayRead = await readersAmong(db, tenantId, userIds, nowMs)
  return (projectId) => userIds.length === 0 || userIds.some((userId) => mayRead(userId, projectId))
}
