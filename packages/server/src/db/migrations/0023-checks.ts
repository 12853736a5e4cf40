import type { Migration } from '../migration.js'

const added = ',"result":null,"checks":[]'

/** What came out of a task, and the checks that must pass before it is done. */
export const checks: Migration = {
  version: 23,
  name: 'checks',
  statements: () => [
    `alter table projects add column default_checks text not null default '[]'`,
    `update tasks set doc = doc || '${added}', card = card || ',"checks":{"total":0,"open":0,"failed":0}'`,
    `update tenants set stored_bytes = stored_bytes +
       ${added.length} * (select count(*) from tasks where tasks.tenant_id = tenants.tenant_id)`,
    // 0 without checks; otherwise 1, plus 2 for a failed one and 4, 8 and 16 for open ones of the three verifiers.
    'alter table tasks add column check_flags bigint not null default 0',
    // Who has worked on the task and how many checks it had, as JSON; null where that is nothing.
    'alter table tasks add column work_record text',
    'create index tasks_to_check on tasks (tenant_id, created_at, project_id, number) where check_flags > 1',
  ],
}
