import type { Migration } from '../migration.js'

/** The order of tasks within a project, set by hand. It begins as that of their creation. */
export const ranks: Migration = {
  version: 30,
  name: 'ranks',
  statements: () => [
    'alter table tasks add column rank bigint not null default 0',
    'update tasks set rank = created_at * 1024',
    'create index tasks_by_rank on tasks (tenant_id, project_id, rank, number)',
    // No task of the project has a higher one.
    'alter table projects add column last_rank bigint not null default 0',
    `update projects set last_rank = coalesce(
       (select max(t.rank) from tasks t where t.tenant_id = projects.tenant_id and t.project_id = projects.id), 0)`,

    // What is ready is handed out by priority, due date and rank: indexes follow their columns.
    'alter table ready_tasks rename column rank to urgency',
    'alter table ready_tasks rename column created_at to rank',
    'update ready_tasks set rank = rank * 1024',
  ],
}
