import type { Migration } from '../migration.js'

/** On PostgreSQL the transactions of a tenant lock its row one after the other, and are counted there. */
export const commitCounts: Migration = {
  version: 17,
  name: 'commit counts',
  statements: () => ['alter table tenants add column commit_count bigint not null default 0'],
}
