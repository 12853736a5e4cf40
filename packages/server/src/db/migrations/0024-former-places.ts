import type { Migration } from '../migration.js'

/** Where a knowledge item was that is gone from its place, by its key alone. */
export const formerPlaces: Migration = {
  version: 24,
  name: 'former places of knowledge',
  statements: () => [
    // The record of an item is its project, a slash and its key.
    `create index history_of_former_item on history (tenant_id, (substr(record, length(project_id) + 2)))
       where type in ('knowledge.deleted', 'knowledge.moved')`,
  ],
}
