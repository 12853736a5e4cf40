import type { Migration } from '../migration.js'

/** An inbox has at most 1,000 entries: the unread are found among them for less than an index costs each entry. */
export const inboxIndex: Migration = {
  version: 27,
  name: 'inbox index',
  statements: () => ['drop index inbox_by_reading'],
}
