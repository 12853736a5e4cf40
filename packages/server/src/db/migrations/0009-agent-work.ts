import type { Migration } from '../migration.js'

/** Claims, dependencies, subtasks and comments of tasks, and the queue of those that are ready. */
export const agentWork: Migration = {
  version: 9,
  name: 'agent work',
  statements: ({ keyText, clustered, jsonField }) => [
    'alter table projects add column max_attempts bigint not null default 5',
    // Where the claims of a new task begin to count: a restore raises it, so that no number is given out again.
    'alter table projects add column claim_base bigint not null default 0',

    `alter table tasks add column labels text not null default '[]'`,
    `update tasks set labels = ${jsonField("doc || '}'", 'labels')}`,
    `update tasks set doc = doc || ',"blockedBy":[],"parentId":null,"notBefore":null,"externalId":null,"metadata":{},"attempts":0'`,
    `alter table tasks add column parent_id ${keyText}`,
    `alter table tasks add column external_id ${keyText}`,
    'alter table tasks add column attempts bigint not null default 0',
    'alter table tasks add column not_before bigint',
    // When a task that must not be begun before some time is to be queued; null once it is.
    'alter table tasks add column wake_at bigint',
    // Counts the claims; a number is never used again.
    'alter table tasks add column claim_number bigint not null default 0',
    'alter table tasks add column claim text',
    `alter table tasks add column claim_key_id ${keyText}`,
    'alter table tasks add column claim_expires_at bigint',
    'alter table tasks add column claim_lease_ms bigint',
    // The claim that ended by expiry, for as long as its holder may still hand in late.
    'alter table tasks add column expired_claim text',
    'alter table tasks add column open_blockers bigint not null default 0',
    'alter table tasks add column blocked_ancestors bigint not null default 0',
    'alter table tasks add column open_children bigint not null default 0',
    'alter table tasks add column total_children bigint not null default 0',
    'alter table tasks add column comment_count bigint not null default 0',
    // Counts the changes of fields that change without a new version.
    'alter table tasks add column derived_count bigint not null default 0',
    'create index tasks_by_parent on tasks (tenant_id, parent_id, created_at, project_id, number) where parent_id is not null',
    'create unique index tasks_by_external_id on tasks (tenant_id, external_id, project_id) where external_id is not null',
    'create index tasks_by_claim_key on tasks (tenant_id, claim_key_id, created_at, project_id, number) where claim_key_id is not null',
    // Also for the service's own rounds over all tenants, so the time comes first.
    'create index tasks_by_claim_end on tasks (claim_expires_at, tenant_id) where claim_expires_at is not null',
    'create index tasks_by_tenant_claim_end on tasks (tenant_id, claim_expires_at) where claim_expires_at is not null',
    'create index tasks_by_wake_up on tasks (wake_at, tenant_id) where wake_at is not null',
    'create index tasks_by_tenant_wake_up on tasks (tenant_id, wake_at) where wake_at is not null',
    'create index tasks_by_attempts on tasks (tenant_id, project_id, attempts) where attempts > 0',

    // What a task waits for: blockers ('blocker'), its parent's blockers ('parent') and its children ('child').
    `create table task_links (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      kind ${keyText} not null,
      other_id ${keyText} not null,
      primary key (tenant_id, task_id, kind, other_id)
    )${clustered}`,
    'create index task_links_by_other on task_links (tenant_id, other_id, kind, task_id)',

    // A ready task has an entry for each of its labels and one for none, in the order in which they are handed out.
    `create table ready_tasks (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      label ${keyText} not null,
      assignee_id ${keyText} not null,
      rank bigint not null,
      due_at bigint not null,
      created_at bigint not null,
      project_id ${keyText} not null,
      number bigint not null,
      primary key (tenant_id, task_id, label)
    )${clustered}`,
    `create index ready_tasks_in_order
      on ready_tasks (tenant_id, label, assignee_id, rank, due_at, created_at, project_id, number)`,
    `create index ready_tasks_of_project
      on ready_tasks (tenant_id, project_id, label, assignee_id, rank, due_at, created_at, number)`,
    `insert into ready_tasks (tenant_id, task_id, label, assignee_id, rank, due_at, created_at, project_id, number)
     select tenant_id, id, '', coalesce(assignee_id, ''), 3 - priority, coalesce(due_at, 9007199254740991), created_at,
            project_id, number
     from tasks where status = 'todo'`,
    `insert into ready_tasks (tenant_id, task_id, label, assignee_id, rank, due_at, created_at, project_id, number)
     select t.tenant_id, t.id, l.label, coalesce(t.assignee_id, ''), 3 - t.priority, coalesce(t.due_at, 9007199254740991),
            t.created_at, t.project_id, t.number
     from tasks t join task_labels l on l.tenant_id = t.tenant_id and l.task_id = t.id where t.status = 'todo'`,

    `create table comments (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      id ${keyText} not null,
      created_at bigint not null,
      updated_at bigint not null,
      key_id ${keyText} not null,
      version bigint not null,
      doc text not null,
      primary key (tenant_id, task_id, id)
    )`,
    'create index comments_in_order on comments (tenant_id, task_id, created_at, id)',
  ],
}
