import type { Migration } from '../migration.js'
import { changeTables } from './baseline/changes.js'
import { knowledgeTables } from './baseline/knowledge.js'
import { projectTables } from './baseline/projects.js'
import { searchTables } from './baseline/search.js'
import { taskTables } from './baseline/tasks.js'
import { tenantTables } from './baseline/tenants.js'
import { userTables } from './baseline/users.js'
import { webhookTables } from './baseline/webhooks.js'

/**
 * Creates all tables. Every key begins with the tenant. Times are milliseconds since 1970. A `doc` is a record as the API
 * returns it, as JSON text, so that reading a record means copying it; the columns beside it serve filters and sorting.
 */
export const baseline: Migration = {
  version: 1,
  name: 'baseline',
  statements: (dialect) =>
    [
      tenantTables,
      userTables,
      projectTables,
      taskTables,
      knowledgeTables,
      changeTables,
      searchTables,
      webhookTables,
    ].flatMap((tablesFor) => tablesFor(dialect)),
}
