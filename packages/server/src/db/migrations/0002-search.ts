import type { Migration } from '../migration.js'

export const search: Migration = {
  version: 2,
  name: 'search',
  statements: ({ keyText, blob }) => [
    // A snapshot is written part by part, and counts once all its parts are there.
    `create table search_snapshots (
      tenant_id ${keyText} not null references tenants on delete cascade,
      generation ${keyText} not null,
      part bigint not null,
      parts bigint not null,
      sequence bigint not null,
      data ${blob} not null,
      primary key (tenant_id, generation, part)
    )`,
  ],
}
