import type { Migration } from '../migration.js'

/** Projects have statuses of their own. */
export const statuses: Migration = {
  version: 31,
  name: 'statuses',
  statements: ({ keyText }) => [
    // As JSON; null for the built-in ones.
    'alter table projects add column statuses text',
    // `status` is the category; null here where the status has the name of its category.
    `alter table tasks add column custom_status ${keyText}`,
    `create index tasks_by_custom_status on tasks (tenant_id, project_id, custom_status, status, created_at, number)
     where custom_status is not null`,
    `update tasks set doc = doc || ',"statusCategory":"' || status || '"',
       card = card || ',"statusCategory":"' || status || '"'`,
    `update tenants set stored_bytes = stored_bytes + coalesce(
       (select sum(${',"statusCategory":""'.length} + length(tasks.status)) from tasks
        where tasks.tenant_id = tenants.tenant_id), 0)`,
  ],
}
