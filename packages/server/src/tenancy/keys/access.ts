import type { Sql } from '../../db/port.js'
import type { Access } from '../../operations/access.js'
import { listPrivateProjects, rolesInProjects } from '../projects/members/service.js'
import { rolesOfUsers } from '../users/service.js'
import type { SecretOwner } from './store.js'

/** Of a key that nothing but its own scopes and projects limits. */
export const ownAccess: Access = { role: null, projectRoles: {}, privateProjectIds: [] }

/** What limits each of some users. A user who is not there may do nothing. */
export const accessOfUsers = async (
  db: Sql,
  tenantId: string,
  userIds: readonly string[],
): Promise<(userId: string) => Access> => {
  const [roles, projectRoles, privateProjectIds] = await Promise.all([
    rolesOfUsers(db, tenantId, userIds),
    rolesInProjects(db, tenantId, userIds),
    listPrivateProjects(db, tenantId),
  ])
  return (userId) => ({
    role: roles.get(userId) ?? 'none',
    projectRoles: projectRoles.get(userId) ?? ownAccess.projectRoles,
    privateProjectIds,
  })
}

/** What limits a key besides itself. */
export const accessOf = async (
  db: Sql,
  { tenant_id, user_id, scopes }: Pick<SecretOwner, 'tenant_id' | 'user_id' | 'scopes'>,
): Promise<Access> => {
  if (user_id !== null) return (await accessOfUsers(db, tenant_id, [user_id]))(user_id)
  if (scopes.includes('"admin"')) return ownAccess
  return { ...ownAccess, privateProjectIds: await listPrivateProjects(db, tenant_id) }
}
