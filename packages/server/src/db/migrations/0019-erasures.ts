import type { Migration } from '../migration.js'

/** People who are erased: the list outlasts the work, so that it is done again on a backup from before. */
export const erasures: Migration = {
  version: 19,
  name: 'erasures',
  statements: ({ keyText, clustered }) => [
    // `progress` is null once nothing is left to do.
    `create table erasures (
      tenant_id ${keyText} not null,
      user_id ${keyText} not null,
      requested_at bigint not null,
      requested_by text not null,
      progress text,
      primary key (tenant_id, user_id)
    )${clustered}`,
    'create index erasures_under_way on erasures (requested_at, tenant_id, user_id) where progress is not null',
  ],
}
