import type { Migration } from '../migration.js'

/**
 * Times at which a tenant may have work of a kind. A row stays until its time has come and the work was done. A node leases
 * what is due while it works on it; the lease is of the store's own clock. Nodes of older versions look at the tenants'
 * tables themselves, and each node that starts fills in what they left.
 */
export const dueWork: Migration = {
  version: 42,
  name: 'due work',
  minVersion: 39,
  statements: ({ keyText, clustered }) => [
    `create table due_work (
      tenant_id ${keyText} not null,
      kind ${keyText} not null,
      due_at bigint not null,
      leased_until bigint not null default 0,
      failures bigint not null default 0,
      primary key (tenant_id, kind, due_at)
    )${clustered}`,
    'create index due_work_by_time on due_work (kind, due_at)',
    'create index stale_checks_of_tenant on stale_checks (tenant_id, due_at)',
  ],
}
