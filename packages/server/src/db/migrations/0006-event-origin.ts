import type { Migration } from '../migration.js'

/** Events say which request made a change and through which door it came. */
export const eventOrigin: Migration = {
  version: 6,
  name: 'event origin',
  statements: () => [
    'alter table events add column request_id text',
    "alter table events add column door text not null default 'http'",
  ],
}
