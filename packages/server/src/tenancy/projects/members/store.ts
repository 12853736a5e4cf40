import type { Sql } from '../../../db/port.js'
import type { ProjectRole } from '../../../operations/access.js'

interface MemberRow {
  user_id: string
  role: ProjectRole
}

export const findRole = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  userId: string,
): Promise<ProjectRole | undefined> =>
  (
    await db.get<{ role: ProjectRole }>(
      'select role from project_members where tenant_id = ? and project_id = ? and user_id = ?',
      [tenantId, projectId, userId],
    )
  )?.role

export const listMembers = (
  db: Sql,
  tenantId: string,
  projectId: string,
  afterUserId: string,
  count: number,
): Promise<MemberRow[]> | MemberRow[] =>
  db.all<MemberRow>(
    `select user_id, role from project_members where tenant_id = ? and project_id = ? and user_id > ?
     order by user_id limit cast(? as bigint)`,
    [tenantId, projectId, afterUserId, count],
  )

export const countProjectsOf = async (db: Sql, tenantId: string, userId: string): Promise<number> =>
  (await db.get<{ count: number }>(
    'select count(*) as count from project_members where tenant_id = ? and user_id = ?',
    [tenantId, userId],
  ))!.count

export const saveRole = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  userId: string,
  role: ProjectRole,
): Promise<void> => {
  await db.run(
    `insert into project_members (tenant_id, project_id, user_id, role) values (?, ?, ?, ?)
     on conflict (tenant_id, project_id, user_id) do update set role = excluded.role`,
    [tenantId, projectId, userId, role],
  )
}

export const deleteRole = async (db: Sql, tenantId: string, projectId: string, userId: string): Promise<void> => {
  await db.run('delete from project_members where tenant_id = ? and project_id = ? and user_id = ?', [
    tenantId,
    projectId,
    userId,
  ])
}

export const deleteRolesOfUser = async (db: Sql, tenantId: string, userId: string): Promise<void> => {
  await db.run('delete from project_members where tenant_id = ? and user_id = ?', [tenantId, userId])
}

/** The roles of users in projects, by user. */
export const rolesInProjects = async (
  db: Sql,
  tenantId: string,
  userIds: readonly string[],
): Promise<Map<string, Record<string, ProjectRole>>> => {
  const rows = await db.all<MemberRow & { project_id: string }>(
    `select user_id, project_id, role from project_members
     where tenant_id = ? and ${db.dialect.isAmong('user_id', 'text')}`,
    [tenantId, db.dialect.listOf(userIds)],
  )
  const roles = new Map<string, Record<string, ProjectRole>>()
  for (const { user_id, project_id, role } of rows) {
    const own = roles.get(user_id) ?? {}
    own[project_id] = role
    roles.set(user_id, own)
  }
  return roles
}

/** Private projects, and deleted ones until they are purged. */
export const listPrivateProjects = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    `select id from projects where tenant_id = ? and visibility = 'private'
     union all select project_id from deleted_private_projects where tenant_id = ?`,
    [tenantId, tenantId],
  )
  return rows.map(({ id }) => id)
}

/** Notes that what is left of a deleted project is private. */
export const noteDeletedPrivate = async (db: Sql, tenantId: string, projectId: string): Promise<void> => {
  await db.run(
    'insert into deleted_private_projects (tenant_id, project_id) values (?, ?) on conflict (tenant_id, project_id) do nothing',
    [tenantId, projectId],
  )
}

export const isDeletedPrivate = async (db: Sql, tenantId: string, projectId: string): Promise<boolean> =>
  (await db.get('select 1 as found from deleted_private_projects where tenant_id = ? and project_id = ?', [
    tenantId,
    projectId,
  ])) !== undefined

export const forgetDeletedPrivate = async (db: Sql, tenantId: string, projectId: string): Promise<void> => {
  await db.run('delete from deleted_private_projects where tenant_id = ? and project_id = ?', [tenantId, projectId])
}

export const deleteRolesInProject = async (db: Sql, tenantId: string, projectId: string): Promise<void> => {
  await db.run('delete from project_members where tenant_id = ? and project_id = ?', [tenantId, projectId])
}
