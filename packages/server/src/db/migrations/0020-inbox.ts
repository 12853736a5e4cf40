import type { Migration } from '../migration.js'

/** What is meant for a user to see, and how a person is told from an agent. */
export const inbox: Migration = {
  version: 20,
  name: 'inbox',
  statements: ({ keyText, clustered }) => [
    'alter table console_sessions add column by_link bigint not null default 0',
    // A cause is told once: `cause` names the record, and for mentions its text, that the entry is about.
    `create table inbox_entries (
      tenant_id ${keyText} not null,
      user_id ${keyText} not null,
      id ${keyText} not null,
      kind ${keyText} not null,
      cause ${keyText} not null,
      task_id ${keyText},
      project_id ${keyText} not null,
      created_at bigint not null,
      read_at bigint,
      doc text not null,
      primary key (tenant_id, user_id, id)
    )${clustered}`,
    'create unique index inbox_by_cause on inbox_entries (tenant_id, cause, kind, user_id)',
    'create index inbox_unread on inbox_entries (tenant_id, user_id, id) where read_at is null',
    'create index inbox_by_task on inbox_entries (tenant_id, task_id) where task_id is not null',
    'create index inbox_by_age on inbox_entries (tenant_id, created_at)',
  ],
}
