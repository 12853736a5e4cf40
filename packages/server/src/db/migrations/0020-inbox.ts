import type { Migration } from '../migration.js'

/** What is meant for a user to see, and how a person is told from an agent. */
export const inbox: Migration = {
  version: 20,
  name: 'inbox',
  statements: ({ keyText }) => [
    'alter table console_sessions add column by_link bigint not null default 0',
    // `number` counts the entries of a user. `cause` names what an entry is about, which a user is told of once.
    // `doc` is the entry as it is answered, but for when it was read.
    // `sequence` is that of the newest event when it was written: webhooks follow entries as they follow the log.
    `create table inbox_entries (
      tenant_id ${keyText} not null,
      user_id ${keyText} not null,
      number bigint not null,
      id ${keyText} not null,
      kind ${keyText} not null,
      cause ${keyText} not null,
      task_id ${keyText},
      comment_id ${keyText},
      project_id ${keyText} not null,
      sequence bigint not null,
      created_at bigint not null,
      read_at bigint,
      doc text not null,
      primary key (tenant_id, user_id, number)
    )`,
    'create unique index inbox_by_id on inbox_entries (tenant_id, id)',
    'create unique index inbox_by_cause on inbox_entries (tenant_id, cause, kind, user_id)',
    'create index inbox_by_reading on inbox_entries (tenant_id, user_id, read_at, number)',
    'create index inbox_by_task on inbox_entries (tenant_id, task_id) where task_id is not null',
    'create index inbox_by_sequence on inbox_entries (tenant_id, sequence)',
  ],
}
