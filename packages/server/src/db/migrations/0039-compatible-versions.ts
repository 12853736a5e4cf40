import type { Migration } from '../migration.js'

/** A migration says which older programs can go on. */
export const compatibleVersions: Migration = {
  version: 39,
  name: 'compatible versions',
  statements: () => ['alter table schema_migrations add column min_version bigint'],
}
