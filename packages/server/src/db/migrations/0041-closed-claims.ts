import type { Migration } from '../migration.js'

/** Who ended a claim, and when its holder was last heard of. */
export const closedClaims: Migration = {
  version: 41,
  name: 'closed claims',
  minVersion: 39,
  statements: ({ keyText }) => [
    // The key whose request ended the claim, where it is another than its holder's.
    `alter table ended_claims add column closed_by ${keyText}`,
    // Missing where it ended before this was noted.
    'alter table ended_claims add column seen_at bigint',
    `create index ended_claims_closed_by on ended_claims (tenant_id, closed_by, ended_at) where closed_by is not null`,
  ],
}
