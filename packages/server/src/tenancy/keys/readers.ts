import type { Sql } from '../../db/port.js'
import { holdsScope } from '../../operations/actor.js'
import { listKeysOfUsers } from './store.js'

/**
 * Who of some users may read the tasks of a project: those with a key that may, and those who never had a key, which
 * nobody has limited.
 */
export const readersAmong = async (
  db: Sql,
  tenantId: string,
  userIds: readonly string[],
  nowMs: number,
): Promise<(userId: string, projectId: string) => boolean> => {
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
