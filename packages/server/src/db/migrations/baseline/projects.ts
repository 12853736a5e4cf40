import type { Dialect } from '../../dialect.js'

export const projectTables = ({ keyText, clustered, referenceIfCheap }: Dialect): string[] => [
  `create table projects (
    tenant_id ${keyText} not null ${referenceIfCheap('references tenants')},
    id ${keyText} not null,
    key ${keyText} not null,
    name text not null,
    description text not null,
    version bigint not null,
    visibility ${keyText} not null default 'tenant',
    -- As JSON; null for the built-in statuses.
    statuses text,
    default_checks text not null default '[]',
    max_attempts bigint not null default 5,
    -- Who paused the project, when and why, as JSON.
    paused text,
    -- The number of the newest task.
    last_number bigint not null,
    -- No task of the project has a higher rank.
    last_rank bigint not null default 0,
    -- New tasks count their claims from it. A restore raises it, so that no claim number is used twice.
    claim_base bigint not null default 0,
    -- Set while the project is in the trash. Its contents stay in their tables, where every read leaves them out.
    deleting_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (tenant_id, id)
  )`,
  // Also finds a project by its key. Any number of deleted projects can have the same key.
  'create unique index projects_by_key on projects (tenant_id, key) where deleting_at is null',
  `create index private_projects on projects (tenant_id, id) where visibility = 'private'`,
  'create index paused_projects on projects (tenant_id, id) where paused is not null',
  'create index projects_being_deleted on projects (tenant_id, id) where deleting_at is not null',

  // The last numbers of deleted projects: a new project with the same key continues them.
  `create table retired_projects (
    tenant_id ${keyText} not null references tenants,
    key ${keyText} not null,
    last_number bigint not null,
    last_version bigint not null,
    primary key (tenant_id, key)
  )${clustered}`,

  // Members of deleted projects stay until the purge: they decide who may see the trash and history of a project.
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
]
