import type { Dialect } from '../../dialect.js'

export const webhookTables = ({ keyText, clustered }: Dialect): string[] => [
  `create table webhooks (
    tenant_id ${keyText} not null references tenants,
    id ${keyText} not null,
    url text not null,
    -- The URL of a chat is a secret: encrypted here, and "url" has only its origin.
    sealed_url text,
    format ${keyText} not null default 'standard',
    events text not null,
    -- Sends inbox entries of a user, or of all "humans", instead of events.
    inbox_of ${keyText},
    project_id ${keyText} not null,
    description text not null,
    is_active smallint not null,
    disabled_reason text,
    created_at bigint not null,
    updated_at bigint not null,
    -- The sequence up to which events were sent, and the second, bounded pass of a replay.
    position bigint not null,
    replay_position bigint,
    replay_until bigint,
    next_due_at bigint,
    failing_since bigint,
    last_failure_at bigint,
    consecutive_failures bigint not null default 0,
    paused_until bigint not null default 0,
    primary key (tenant_id, id)
  )`,

  // One secret signs. During a rotation there are two, and the older one expires.
  `create table webhook_secrets (
    tenant_id ${keyText} not null,
    webhook_id ${keyText} not null,
    secret ${keyText} not null,
    created_at bigint not null,
    expires_at bigint,
    primary key (tenant_id, webhook_id, secret),
    foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
  )${clustered}`,

  // Ids sort by creation time, so the primary key is the order of the list.
  `create table webhook_deliveries (
    tenant_id ${keyText} not null,
    webhook_id ${keyText} not null,
    id ${keyText} not null,
    reason ${keyText} not null,
    event_id ${keyText} not null,
    type ${keyText} not null,
    sequence bigint,
    payload text,
    status ${keyText} not null,
    attempts bigint not null,
    -- Null once the delivery has succeeded or was given up.
    next_attempt_at bigint,
    response_status bigint,
    response_body text,
    error text,
    duration_ms bigint,
    created_at bigint not null,
    attempted_at bigint,
    primary key (tenant_id, webhook_id, id),
    foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
  )`,
  `create index webhook_deliveries_due on webhook_deliveries (tenant_id, webhook_id, next_attempt_at, id)
   where next_attempt_at is not null`,
  `create index webhook_deliveries_by_sequence on webhook_deliveries (tenant_id, sequence)
   where sequence is not null`,
]
