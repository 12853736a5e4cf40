import type { Migration } from '../migration.js'

/** Writes of the web console count in a window of their own. */
export const sessionWrites: Migration = {
  version: 35,
  name: 'session writes',
  statements: () => [
    'alter table limit_windows add column session_writes_opened_at bigint not null default 0',
    'alter table limit_windows add column session_writes_used bigint not null default 0',
  ],
}
