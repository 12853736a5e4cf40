import type { Migration } from '../migration.js'

const cardFields = [
  'id',
  'projectId',
  'title',
  'status',
  'priority',
  'labels',
  'dueDate',
  'version',
  'createdAt',
  'updatedAt',
  'parentId',
  'attempts',
]

/** The length of what the subject of a comment's event has after the task's id: a slash and the comment's id. */
const commentIdLength = 25

/** Sessions of the web console, and what it reads: cards of tasks, and events by subject and actor. */
export const consoleSessions: Migration = {
  version: 15,
  name: 'console sessions',
  statements: ({ keyText, clustered, jsonField }) => [
    // A session is known by two halves, of which only hashes are kept. `ends_at` is set where it must not be renewed.
    `create table console_sessions (
      tenant_id ${keyText} not null,
      id ${keyText} not null,
      key_id ${keyText} not null,
      cookie_hash text not null,
      secret_hash text not null,
      created_at bigint not null,
      last_used_at bigint not null,
      expires_at bigint not null,
      ends_at bigint,
      address text,
      user_agent text,
      primary key (tenant_id, id)
    )${clustered}`,
    'create index console_sessions_by_creation on console_sessions (tenant_id, created_at, id)',
    'create index console_sessions_by_key on console_sessions (tenant_id, key_id, created_at, id)',
    // As with stream tickets, a link does not outlive a rotation of its key.
    `create table console_links (
      tenant_id ${keyText} not null,
      hash ${keyText} not null,
      key_id ${keyText} not null,
      secret_prefix text not null,
      expires_at bigint not null,
      primary key (tenant_id, hash)
    )${clustered}`,
    `alter table stream_tickets add column session_id ${keyText}`,

    'alter table limit_windows add column session_reads_opened_at bigint not null default 0',
    'alter table limit_windows add column session_reads_used bigint not null default 0',

    // A task without its long fields, what is read from elsewhere and the closing brace.
    `alter table tasks add column card text not null default ''`,
    `update tasks set card = '{' || ${cardFields
      .map((name) => `'"${name}":' || ${jsonField("doc || '}'", name)}`)
      .join(` || ',' || `)}`,

    // Whose change it was, and of which record; a comment belongs to its task.
    `alter table events add column key_id ${keyText} not null default ''`,
    `alter table events add column about ${keyText} not null default ''`,
    `update events set key_id = replace(${jsonField('actor', 'keyId')}, '"', ''),
       about = case when type like 'comment.%' then substr(subject, 1, length(subject) - ${commentIdLength})
                    else subject end`,
    // What else events are filtered by is told from the last columns, without a look at the event.
    'create index events_by_key on events (tenant_id, key_id, sequence, type, project_id)',
    'create index events_by_record on events (tenant_id, about, sequence, type, project_id, key_id)',
  ],
}
