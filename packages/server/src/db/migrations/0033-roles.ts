import type { Migration } from '../migration.js'
import type { Sql } from '../port.js'

/** Users with an admin key that is good now stay able to do what they can. */
const keepAdmins = async (tx: Sql): Promise<void> => {
  const keys = await tx.all<{ tenant_id: string; user_id: string }>(
    `select distinct tenant_id, user_id from api_keys
     where user_id is not null and revoked_at is null and scopes like '%"admin"%'
       and (expires_at is null or expires_at > ?)`,
    [Date.now()],
  )
  for (const { tenant_id, user_id } of keys)
    await tx.run(`update users set role = 'admin' where tenant_id = ? and id = ?`, [tenant_id, user_id])
}

/** Users have a role in the tenant and in single projects, and projects may be private. */
export const roles: Migration = {
  version: 33,
  name: 'roles',
  statements: ({ keyText, clustered }) => [
    `alter table users add column role ${keyText} not null default 'member'`,
    `alter table projects add column visibility ${keyText} not null default 'tenant'`,
    `create index private_projects on projects (tenant_id, id) where visibility = 'private'`,
    // Of deleted projects too, until they are purged: who may see what is left of them does not change.
    `create table project_members (
      tenant_id ${keyText} not null references tenants,
      project_id ${keyText} not null,
      user_id ${keyText} not null,
      role ${keyText} not null,
      primary key (tenant_id, project_id, user_id)
    )${clustered}`,
    'create index project_members_by_user on project_members (tenant_id, user_id)',
    `create table deleted_private_projects (
      tenant_id ${keyText} not null references tenants,
      project_id ${keyText} not null,
      primary key (tenant_id, project_id)
    )${clustered}`,
  ],
  fill: keepAdmins,
}
