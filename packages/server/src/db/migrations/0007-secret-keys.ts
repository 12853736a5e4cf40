import type { Migration } from '../migration.js'

export const secretKeys: Migration = {
  version: 7,
  name: 'secret-keys',
  statements: () => [
    // One row: the ids of the keys that secrets are encrypted with. The keys themselves are the operator's.
    `create table secret_keys (
      id smallint primary key check (id = 1),
      current_key_id text not null,
      retiring_key_id text
    )`,
  ],
}
