import type { Migration } from '../migration.js'

const bytesOf = (table: string, ...columns: string[]): string =>
  `coalesce((select sum(${columns.map((column) => `octet_length(${column})`).join(' + ')})
     from ${table} where tenant_id = tenants.tenant_id), 0)`

export const auditAndQuotas: Migration = {
  version: 10,
  name: 'audit and quotas',
  statements: ({ keyText, clustered }) => [
    'alter table api_keys add column allowed_addresses text',
    'create index api_keys_living on api_keys (tenant_id, created_at, id) where revoked_at is null',

    // Kept true by whatever writes an event; see events/record.ts.
    'alter table tenants add column stored_bytes bigint not null default 0',
    `update tenants set stored_bytes =
       ${bytesOf('tasks', 'doc')} + ${bytesOf('comments', 'doc')} + ${bytesOf('knowledge', 'meta', 'content')}`,

    // What each node has open; one that is not seen any longer does not count.
    `create table open_streams (
      tenant_id ${keyText} not null,
      node_id ${keyText} not null,
      open_count bigint not null,
      seen_at bigint not null,
      primary key (tenant_id, node_id)
    )${clustered}`,

    // The empty tenant has what belongs to none: unknown keys, and what the operator did to the store as a whole.
    // Refusals of one kind from one address share an entry for an hour: `count` of them, the last one at `last_at`.
    `create table audit_entries (
      tenant_id ${keyText} not null,
      id ${keyText} not null,
      created_at bigint not null,
      last_at bigint not null,
      action ${keyText} not null,
      key_id ${keyText},
      actor text,
      address text,
      request_id text,
      door text not null,
      subject text,
      details text not null,
      count bigint not null,
      primary key (tenant_id, id)
    )`,
    'create index audit_entries_by_time on audit_entries (tenant_id, created_at, id)',
    'create index audit_entries_by_action on audit_entries (tenant_id, action, created_at, id)',
    'create index audit_entries_by_key on audit_entries (tenant_id, key_id, created_at, id)',
  ],
}
