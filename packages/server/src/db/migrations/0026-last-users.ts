import type { Migration } from '../migration.js'

/** Whose key it is, also after that user was deleted: who has worked on a task stays known. */
export const lastUsers: Migration = {
  version: 26,
  name: 'last users of keys',
  statements: ({ keyText }) => [
    `alter table api_keys add column last_user_id ${keyText}`,
    'update api_keys set last_user_id = user_id',
  ],
}
