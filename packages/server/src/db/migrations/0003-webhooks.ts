import type { Migration } from '../migration.js'

export const webhooks: Migration = {
  version: 3,
  name: 'webhooks',
  statements: ({ keyText, clustered }) => [
    // `position` is how far the log was sent; the replay columns are a second, bounded way through it. A node that
    // serves a webhook holds its lease, whose times are of the store's own clock.
    `create table webhooks (
      tenant_id ${keyText} not null references tenants,
      id ${keyText} not null,
      url text not null,
      events text not null,
      project_id ${keyText} not null,
      description text not null,
      is_active smallint not null,
      disabled_reason text,
      created_at bigint not null,
      updated_at bigint not null,
      position bigint not null,
      replay_position bigint,
      replay_until bigint,
      next_due_at bigint,
      failing_since bigint,
      last_failure_at bigint,
      consecutive_failures bigint not null default 0,
      paused_until bigint not null default 0,
      leased_by text,
      leased_until bigint not null default 0,
      primary key (tenant_id, id)
    )`,
    // One secret signs, and while it is being rotated two: the older one has an end.
    `create table webhook_secrets (
      tenant_id ${keyText} not null,
      webhook_id ${keyText} not null,
      secret ${keyText} not null,
      created_at bigint not null,
      expires_at bigint,
      primary key (tenant_id, webhook_id, secret),
      foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
    )${clustered}`,
    // Ids rise with time, so the primary key is the order of the list. `next_attempt_at` is null once it is settled.
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
  ],
}
