import type { Migration } from '../migration.js'

const added = ',"resources":[]'

/** What a task needs for itself while it is claimed. */
export const resources: Migration = {
  version: 28,
  name: 'resources',
  statements: ({ keyText, clustered }) => [
    `update tasks set doc = doc || '${added}'`,
    `update tenants set stored_bytes = stored_bytes +
       ${added.length} * (select count(*) from tasks where tasks.tenant_id = tenants.tenant_id)`,

    // `covered` is 1 where another resource of the same task includes it, `reserved` while the task is claimed. What
    // different tasks of a project reserve never overlaps.
    `create table task_resources (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      resource ${keyText} not null,
      project_id ${keyText} not null,
      covered bigint not null,
      reserved bigint not null,
      primary key (tenant_id, task_id, resource)
    )${clustered}`,
    `create index task_resources_reserved on task_resources (tenant_id, project_id, resource, task_id, covered)
     where reserved = 1`,

    // The task whose claim reserves a resource that this one needs; null where none is known.
    `alter table ready_tasks add column waits_for ${keyText}`,
    'drop index ready_tasks_in_order',
    'drop index ready_tasks_of_project',
    // SQLite reads the table for a column that is not in the index, also where the index has one value of it alone.
    `create index ready_tasks_in_order
      on ready_tasks (tenant_id, label, assignee_id, rank, due_at, created_at, project_id, number, waits_for)
      where waits_for is null`,
    `create index ready_tasks_of_project
      on ready_tasks (tenant_id, project_id, label, assignee_id, rank, due_at, created_at, number, waits_for)
      where waits_for is null`,
    'create index ready_tasks_waiting on ready_tasks (tenant_id, waits_for) where waits_for is not null',
  ],
}
