import { includesProject } from '../../base/project-set.js'
import type { Sql } from '../../db/port.js'
import { rightsOf } from '../../operations/access.js'
import { holdsScope } from '../../operations/actor.js'
import { humanUserIds } from '../users/service.js'
import { accessOfUsers } from './access.js'
import { listKeysOfUsers } from './store.js'

const unlimitedReader = { scopes: ['tasks:read'] as const, projectIds: null }

type MayRead = (userId: string, projectId: string) => boolean

/**
 * Who of some users may read the tasks of a project: those with a key that may, and those who never had a key, which
 * nothing but their roles limits.
 */
export const readersAmong = async (
  db: Sql,
  tenantId: string,
  userIds: readonly string[],
  nowMs: number,
): Promise<MayRead> => {
  const keys = await listKeysOfUsers(db, tenantId, userIds)
  const accessOf = await accessOfUsers(db, tenantId, userIds)
  return (userId, projectId) => {
    const access = accessOf(userId)
    const own = keys.filter((key) => key.userId === userId)
    const live = own.filter(({ isRevoked, expiresAtMs }) => !isRevoked && (expiresAtMs === null || expiresAtMs > nowMs))
    return (own.length === 0 ? [unlimitedReader] : live).some((key) => {
      const { scopes, projectIds } = rightsOf(key, access)
      return holdsScope({ scopes }, 'tasks:read') && includesProject(projectIds, projectId)
    })
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
