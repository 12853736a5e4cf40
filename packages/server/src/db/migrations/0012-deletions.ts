import type { Migration } from '../migration.js'

/** Deletions of what is too large for one transaction go on in small steps. */
export const deletions: Migration = {
  version: 12,
  name: 'deletions',
  statements: ({ keyText, clustered }) => [
    // Nobody sees such a project any more; its row stays until its contents are gone.
    'alter table projects add column deleting_at bigint',
    `create table deletions (
      tenant_id ${keyText} not null,
      kind ${keyText} not null,
      id ${keyText} not null,
      record text not null,
      created_at bigint not null,
      primary key (tenant_id, kind, id)
    )${clustered}`,
  ],
}
