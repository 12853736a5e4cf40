import type { Dialect } from '../../dialect.js'

export const tenantTables = ({ keyText, clustered }: Dialect): string[] => [
  `create table tenants (
    tenant_id ${keyText} primary key,
    name text not null,
    plan text not null,
    -- The sequence of the newest event.
    last_sequence bigint not null default 0,
    -- Bytes of records, kept versions and the trash. Whatever writes an event updates it.
    stored_bytes bigint not null default 0,
    -- PostgreSQL only: counts the transactions that changed the tenant.
    commit_count bigint not null default 0,
    -- Who paused the tenant, when and why, as JSON.
    paused text,
    -- Since when the tenant is being deleted. Nobody can use it any more.
    deleting_at bigint,
    created_at bigint not null
  )`,

  // Belongs to no tenant, so that names are unique across tenants.
  `create table tenant_names (
    name ${keyText} primary key,
    tenant_id ${keyText} not null
  )${clustered}`,
  'create index tenant_names_by_tenant on tenant_names (tenant_id)',

  // One row per tenant, so that a single row lock covers all of its rate limits. A window with a count of 0 is closed.
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
    knowledge_writes_used bigint not null default 0,
    session_reads_opened_at bigint not null default 0,
    session_reads_used bigint not null default 0,
    session_writes_opened_at bigint not null default 0,
    session_writes_used bigint not null default 0
  )${clustered}`,

  // The event streams that each node has open. A row that its node stopped updating does not count.
  `create table open_streams (
    tenant_id ${keyText} not null,
    node_id ${keyText} not null,
    open_count bigint not null,
    seen_at bigint not null,
    primary key (tenant_id, node_id)
  )${clustered}`,

  // Requests and other activity of keys, counted by the hour and by the day, both in UTC. Hours are kept for two days.
  `create table usage_counts (
    tenant_id ${keyText} not null,
    span ${keyText} not null,
    starts_at bigint not null,
    key_id ${keyText} not null,
    -- Empty for a request that concerns no project.
    project_id ${keyText} not null,
    metric ${keyText} not null,
    value bigint not null,
    primary key (tenant_id, span, starts_at, key_id, project_id, metric)
  )${clustered}`,

  // Agents that wait for a task.
  `create table agent_waits (
    tenant_id ${keyText} not null,
    key_id ${keyText} not null,
    -- Empty for a worker without a name.
    worker ${keyText} not null,
    waits_until bigint not null,
    primary key (tenant_id, key_id, worker)
  )${clustered}`,

  // Responses to requests that had an idempotency key.
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

  // A single row: the ids of the operator's keys that encrypt stored secrets.
  `create table secret_keys (
    id smallint primary key check (id = 1),
    current_key_id text not null,
    retiring_key_id text
  )`,
]
