import type { Migration } from '../migration.js'

/** A task shows the name of its assignee: its ETag tells how often that was changed. */
export const renames: Migration = {
  version: 45,
  name: 'renames',
  minVersion: 42,
  statements: () => ['alter table users add column renames bigint not null default 0'],
}
