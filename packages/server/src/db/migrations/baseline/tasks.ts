import type { Dialect } from '../../dialect.js'

/** Later than every due date, so that tasks without one come last in ascending order. */
const dueOrNever = 'coalesce(due_at, 9007199254740991)'
/** Earlier than every due date, so that tasks without one come last in descending order. */
const dueOrPast = 'coalesce(due_at, -9007199254740991)'

export const taskTables = ({ keyText, clustered, referenceIfCheap }: Dialect): string[] => [
  `create table tasks (
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    project_id ${keyText} not null,
    number bigint not null,
    version bigint not null,
    -- Counts changes of derived fields, which a response shows without a new version.
    derived_count bigint not null default 0,

    -- The category of the status, and the name of the status unless it is that of its category.
    status ${keyText} not null,
    custom_status ${keyText},
    priority smallint not null,
    assignee_id ${keyText},
    due_at bigint,
    -- The order within the project, set by hand.
    rank bigint not null default 0,
    labels text not null default '[]',
    external_id ${keyText},
    -- The key that created the task.
    created_by ${keyText} not null default '',
    created_at bigint not null,
    updated_at bigint not null,

    parent_id ${keyText},
    open_children bigint not null default 0,
    total_children bigint not null default 0,
    open_blockers bigint not null default 0,
    -- How many of its ancestors have open blockers.
    blocked_ancestors bigint not null default 0,
    comment_count bigint not null default 0,
    open_questions bigint not null default 0,
    -- 0 without checks; otherwise 1, plus 2 for a failed one and 4, 8 and 16 for open ones of the three verifiers.
    check_flags bigint not null default 0,
    -- Who has worked on the task and how many checks it had, as JSON.
    work_record text,
    -- What the task relied on that is no longer valid, as JSON.
    stale text,

    not_before bigint,
    -- When the task enters the queue; null once it has.
    wake_at bigint,
    attempts bigint not null default 0,
    -- Counts the claims; a number is never used again.
    claim_number bigint not null default 0,
    claim text,
    claim_key_id ${keyText},
    claim_expires_at bigint,
    claim_lease_ms bigint,
    -- The claim that expired, for as long as its holder may still submit a result.
    expired_claim text,

    -- SQLite reads a row from its beginning, so long texts come last. Neither has the assignee or the closing brace.
    -- The task as JSON without its long fields.
    card text not null default '',
    -- The task as JSON.
    doc text not null,
    primary key (tenant_id, id)${referenceIfCheap(`,
    foreign key (tenant_id, project_id) references projects (tenant_id, id)`)}
  )`,
  // The last columns of an index serve filters without an index, so that tasks that do not match are not read.
  'create index tasks_by_creation on tasks (tenant_id, created_at, project_id, number, priority)',
  'create index tasks_by_status on tasks (tenant_id, status, created_at, project_id, number, priority)',
  'create index tasks_by_assignee on tasks (tenant_id, assignee_id, created_at, project_id, number, priority)',
  'create index tasks_by_creator on tasks (tenant_id, created_by, created_at, project_id, number)',
  'create index tasks_by_update on tasks (tenant_id, updated_at, project_id, number)',
  'create index tasks_by_priority on tasks (tenant_id, priority, project_id, number)',
  `create index tasks_by_due on tasks (tenant_id, (${dueOrNever}), project_id, number)`,
  `create index tasks_by_due_descending on tasks (tenant_id, (${dueOrPast}), project_id, number)`,
  'create index tasks_by_project on tasks (tenant_id, project_id, created_at, number, priority)',
  'create index tasks_by_project_status on tasks (tenant_id, project_id, status, created_at, number, priority)',
  'create index tasks_by_project_update on tasks (tenant_id, project_id, updated_at, number)',
  'create index tasks_by_project_priority on tasks (tenant_id, project_id, priority, number)',
  'create index tasks_by_rank on tasks (tenant_id, project_id, rank, number)',
  `create index tasks_by_custom_status on tasks (tenant_id, project_id, custom_status, status, created_at, number)
   where custom_status is not null`,
  `create index tasks_by_parent on tasks (tenant_id, parent_id, created_at, project_id, number)
   where parent_id is not null`,
  `create unique index tasks_by_external_id on tasks (tenant_id, external_id, project_id)
   where external_id is not null`,
  `create index tasks_by_claim_key on tasks (tenant_id, claim_key_id, created_at, project_id, number)
   where claim_key_id is not null`,
  `create index tasks_by_tenant_claim_end on tasks (tenant_id, claim_expires_at)
   where claim_expires_at is not null`,
  'create index tasks_by_tenant_wake_up on tasks (tenant_id, wake_at) where wake_at is not null',
  'create index tasks_by_attempts on tasks (tenant_id, project_id, attempts) where attempts > 0',
  'create index tasks_to_check on tasks (tenant_id, created_at, project_id, number) where check_flags > 1',
  'create index tasks_stale on tasks (tenant_id, created_at, project_id, number) where stale is not null',

  // Repeats the columns that lists by label filter and sort by, so that they read only the tasks that they return.
  `create table task_labels (
    tenant_id ${keyText} not null,
    label ${keyText} not null,
    created_at bigint not null,
    project_id ${keyText} not null,
    number bigint not null,
    task_id ${keyText} not null,
    assignee_id ${keyText},
    primary key (tenant_id, label, created_at, project_id, number)
  )${clustered}`,
  `create index task_labels_by_assignee
   on task_labels (tenant_id, label, assignee_id, created_at, project_id, number, task_id)`,

  // What a task waits for: its blockers ("blocker"), the blockers of its parent ("parent"), its children ("child").
  `create table task_links (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    kind ${keyText} not null,
    other_id ${keyText} not null,
    primary key (tenant_id, task_id, kind, other_id)
  )${clustered}`,
  'create index task_links_by_other on task_links (tenant_id, other_id, kind, task_id)',

  // Blocker links between tasks of a deleted project and tasks elsewhere, to restore with the project.
  `create table severed_links (
    tenant_id ${keyText} not null,
    project_id ${keyText} not null,
    task_id ${keyText} not null,
    blocker_id ${keyText} not null,
    primary key (tenant_id, project_id, task_id, blocker_id)
  )${clustered}`,

  // The queue: a ready task has a row for each of its labels and one for the empty label.
  `create table ready_tasks (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    label ${keyText} not null,
    assignee_id ${keyText} not null,
    -- The priority, counted from the most urgent.
    urgency bigint not null,
    due_at bigint not null,
    rank bigint not null,
    project_id ${keyText} not null,
    number bigint not null,
    -- The task whose claim reserves a resource that this task needs; null if none is known.
    waits_for ${keyText},
    primary key (tenant_id, task_id, label)
  )${clustered}`,
  // If waits_for were not a column of the index, SQLite would read the table for it, although it is always null here.
  `create index ready_tasks_in_order
   on ready_tasks (tenant_id, label, assignee_id, urgency, due_at, rank, project_id, number, waits_for)
   where waits_for is null`,
  `create index ready_tasks_of_project
   on ready_tasks (tenant_id, project_id, label, assignee_id, urgency, due_at, rank, number, waits_for)
   where waits_for is null`,
  'create index ready_tasks_waiting on ready_tasks (tenant_id, waits_for) where waits_for is not null',

  // What a task reserves while it is claimed. Reservations of different tasks of a project never overlap.
  `create table task_resources (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    resource ${keyText} not null,
    project_id ${keyText} not null,
    -- 1 if another resource of the task includes this one.
    covered bigint not null,
    -- 1 while the task is claimed.
    reserved bigint not null,
    primary key (tenant_id, task_id, resource)
  )${clustered}`,
  `create index task_resources_reserved on task_resources (tenant_id, project_id, resource, task_id, covered)
   where reserved = 1`,

  `create table ended_claims (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    number bigint not null,
    key_id ${keyText} not null,
    worker ${keyText},
    project_id ${keyText} not null,
    claimed_at bigint not null,
    -- When the holder last made a request about the claim.
    seen_at bigint,
    ended_at bigint not null,
    outcome ${keyText} not null,
    -- The key whose request ended the claim, unless it is that of the holder.
    closed_by ${keyText},
    primary key (tenant_id, task_id, number)
  )${clustered}`,
  'create index ended_claims_by_time on ended_claims (tenant_id, ended_at)',
  'create index ended_claims_of_key on ended_claims (tenant_id, key_id, ended_at)',
  'create index ended_claims_closed_by on ended_claims (tenant_id, closed_by, ended_at) where closed_by is not null',

  `create table comments (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    id ${keyText} not null,
    -- The project of the task.
    project_id ${keyText} not null default '',
    created_at bigint not null,
    updated_at bigint not null,
    key_id ${keyText} not null,
    version bigint not null,
    doc text not null,
    primary key (tenant_id, task_id, id)
  )`,
  'create index comments_in_order on comments (tenant_id, task_id, created_at, id)',
  'create index comments_of_project on comments (tenant_id, project_id)',

  // Ids sort by creation time, so indexes end with them.
  `create table questions (
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    task_id ${keyText} not null,
    project_id ${keyText} not null,
    state ${keyText} not null,
    to_user_id ${keyText},
    version bigint not null,
    doc text not null,
    primary key (tenant_id, id)
  )`,
  'create index questions_of_task on questions (tenant_id, task_id, state, id)',
  'create index questions_by_state on questions (tenant_id, state, id)',
  'create index questions_of_project on questions (tenant_id, project_id, state, id)',
  'create index questions_to_user on questions (tenant_id, to_user_id, state, id) where to_user_id is not null',
]
