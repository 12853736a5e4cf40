import type { Migration } from '../migration.js'

/** Beyond every time, so that tasks without a due date come last in either direction. */
const dueOrNever = 'coalesce(due_at, 9007199254740991)'
const dueOrPast = 'coalesce(due_at, -9007199254740991)'

/**
 * Every key begins with the tenant. Times are milliseconds since 1970. A record's `doc` is its answer as JSON, so
 * that reading it is copying it; the columns beside it are what is filtered and sorted by.
 */
export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  statements: ({ keyText, clustered }) => [
    `create table tenants (
      tenant_id ${keyText} primary key,
      name text not null unique,
      plan text not null,
      last_sequence bigint not null default 0,
      created_at bigint not null
    )`,

    `create table projects (
      tenant_id ${keyText} not null references tenants,
      id ${keyText} not null,
      key ${keyText} not null,
      name text not null,
      description text not null,
      version bigint not null,
      last_number bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (tenant_id, id),
      unique (tenant_id, key)
    )`,
    // What a deleted project leaves behind, so that its key goes on counting when it is used again.
    `create table retired_projects (
      tenant_id ${keyText} not null references tenants,
      key ${keyText} not null,
      last_number bigint not null,
      last_version bigint not null,
      primary key (tenant_id, key)
    )${clustered}`,

    `create table users (
      tenant_id ${keyText} not null references tenants,
      id ${keyText} not null,
      name text not null,
      email text,
      kind text not null,
      assignee_doc text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (tenant_id, id)
    )`,

    `create table api_keys (
      tenant_id ${keyText} not null references tenants,
      id ${keyText} not null,
      name text not null,
      prefix text not null,
      scopes text not null,
      project_ids text,
      user_id text,
      expires_at bigint,
      revoked_at bigint,
      created_at bigint not null,
      last_used_at bigint,
      primary key (tenant_id, id)
    )`,
    // A key has one secret, and while it is being rotated two: the older one has an end.
    `create table key_secrets (
      tenant_id ${keyText} not null,
      key_id ${keyText} not null,
      hash ${keyText} not null,
      expires_at bigint,
      primary key (tenant_id, key_id, hash),
      foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
    )${clustered}`,
    'create unique index key_secrets_by_hash on key_secrets (hash)',

    // `doc` is the task without its assignee and without the closing brace; the reader adds both.
    `create table tasks (
      tenant_id ${keyText} not null,
      id ${keyText} not null,
      project_id ${keyText} not null,
      number bigint not null,
      status ${keyText} not null,
      priority smallint not null,
      assignee_id ${keyText},
      due_at bigint,
      created_at bigint not null,
      updated_at bigint not null,
      version bigint not null,
      doc text not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, project_id) references projects (tenant_id, id)
    )`,
    // Filters that have no index of their own are told from the last column, without a look at the task.
    'create index tasks_by_creation on tasks (tenant_id, created_at, project_id, number, priority)',
    'create index tasks_by_status on tasks (tenant_id, status, created_at, project_id, number, priority)',
    'create index tasks_by_assignee on tasks (tenant_id, assignee_id, created_at, project_id, number, priority)',
    'create index tasks_by_project on tasks (tenant_id, project_id, created_at, number, priority)',
    'create index tasks_by_project_status on tasks (tenant_id, project_id, status, created_at, number, priority)',
    'create index tasks_by_project_update on tasks (tenant_id, project_id, updated_at, number)',
    'create index tasks_by_project_priority on tasks (tenant_id, project_id, priority, number)',
    'create index tasks_by_update on tasks (tenant_id, updated_at, project_id, number)',
    'create index tasks_by_priority on tasks (tenant_id, priority, project_id, number)',
    `create index tasks_by_due on tasks (tenant_id, (${dueOrNever}), project_id, number)`,
    `create index tasks_by_due_descending on tasks (tenant_id, (${dueOrPast}), project_id, number)`,
    // An entry of a label carries what it is most often asked for with, so that a list by label needs no look at tasks
    // that it does not show. Whoever writes a task keeps its entries true.
    `create table task_labels (
      tenant_id ${keyText} not null,
      label ${keyText} not null,
      created_at bigint not null,
      project_id ${keyText} not null,
      number bigint not null,
      task_id ${keyText} not null,
      assignee_id ${keyText},
      primary key (tenant_id, label, created_at, project_id, number)
    )${clustered}`,
    `create index task_labels_by_assignee
      on task_labels (tenant_id, label, assignee_id, created_at, project_id, number, task_id)`,

    // The empty project is the tenant as a whole. `meta` is the item without its content and without the closing
    // brace; `content` is the text as a JSON string literal. A reader joins the two.
    `create table knowledge (
      tenant_id ${keyText} not null references tenants,
      project_id ${keyText} not null,
      key ${keyText} not null,
      version bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      meta text not null,
      content text not null,
      primary key (tenant_id, project_id, key)
    )`,
    'create index knowledge_by_key on knowledge (tenant_id, key, project_id)',
    // The last version of a deleted item. A project is named by its key here, which outlives its id.
    `create table retired_knowledge (
      tenant_id ${keyText} not null references tenants,
      project_key ${keyText} not null,
      key ${keyText} not null,
      last_version bigint not null,
      primary key (tenant_id, project_key, key)
    )${clustered}`,

    `create table events (
      tenant_id ${keyText} not null references tenants,
      sequence bigint not null,
      id ${keyText} not null,
      type ${keyText} not null,
      project_id ${keyText} not null,
      subject ${keyText} not null,
      created_at bigint not null,
      actor text not null,
      data text not null,
      previous text,
      primary key (tenant_id, sequence)
    )`,

    `create table idempotent_requests (
      tenant_id ${keyText} not null references tenants,
      key_id ${keyText} not null,
      route ${keyText} not null,
      idempotency_key ${keyText} not null,
      fingerprint text not null,
      answer text not null,
      created_at bigint not null,
      primary key (tenant_id, key_id, route, idempotency_key)
    )`,
    'create index idempotent_requests_by_age on idempotent_requests (tenant_id, created_at)',

    // One row a tenant, so that one row lock decides over all of its windows. A window with nothing used is closed.
    `create table limit_windows (
      tenant_id ${keyText} primary key references tenants on delete cascade,
      minute_opened_at bigint not null default 0,
      minute_used bigint not null default 0,
      day_opened_at bigint not null default 0,
      day_used bigint not null default 0,
      task_creates_opened_at bigint not null default 0,
      task_creates_used bigint not null default 0,
      searches_opened_at bigint not null default 0,
      searches_used bigint not null default 0,
      knowledge_writes_opened_at bigint not null default 0,
      knowledge_writes_used bigint not null default 0
    )${clustered}`,
  ],
}
