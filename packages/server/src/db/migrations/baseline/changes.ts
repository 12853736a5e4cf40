import type { Dialect } from '../../dialect.js'

/** Tables written with every change: events, history, trash, audit, inboxes and due work. */
export const changeTables = ({ keyText, blob, clustered, referenceIfCheap }: Dialect): string[] => [
  `create table events (
    tenant_id ${keyText} not null ${referenceIfCheap('references tenants')},
    sequence bigint not null,
    id ${keyText} not null,
    type ${keyText} not null,
    -- Empty for the tenant as a whole.
    project_id ${keyText} not null,
    -- The record that changed, and the record it belongs to: a comment belongs to its task.
    subject ${keyText} not null,
    about ${keyText} not null default '',
    -- The id of a knowledge item, whose key is the subject.
    item_id ${keyText},
    created_at bigint not null,
    key_id ${keyText} not null default '',
    actor text not null,
    request_id text,
    -- The interface of the request.
    via text not null default 'http',
    -- The trace of the request, as its caller named it.
    traceparent text,
    -- The id of the event that this change undid.
    undoes ${keyText},
    data text not null,
    previous text,
    primary key (tenant_id, sequence)
  )`,
  // The last columns serve further filters, so that events that do not match are not read.
  'create index events_by_key on events (tenant_id, key_id, sequence, type, project_id)',
  'create index events_by_record on events (tenant_id, about, sequence, type, project_id, key_id)',
  'create index events_of_item on events (tenant_id, item_id, sequence) where item_id is not null',

  // A row for each change of a task, comment, knowledge item or project: who made it, and the version that it replaced.
  `create table history (
    tenant_id ${keyText} not null,
    -- The sequence of the event. Part 0 is its own record; records that changed with it, as the comments of a deleted
    -- task do, are parts from 1 on.
    sequence bigint not null,
    place bigint not null,
    event_id ${keyText} not null,
    type ${keyText} not null,
    record ${keyText} not null,
    project_id ${keyText} not null,
    version bigint not null,
    before_version bigint,
    created_at bigint not null,
    key_id ${keyText} not null,
    actor text not null,
    request_id ${keyText},
    via text not null,
    claim ${keyText},
    -- The id of the event that this change undid.
    undoes ${keyText},
    -- The key of a knowledge item after the change.
    item_key ${keyText},
    -- Further fields of the entry, as JSON.
    rest text,
    -- Set instead of "before" once the version is in a pack.
    pack_id ${keyText},
    pack_part bigint,
    -- The version before the change. SQLite reads a row from its beginning, so the long text comes last.
    before text,
    primary key (tenant_id, sequence, place)
  )`,
  'create index history_of_record on history (tenant_id, record, sequence, place)',
  'create index history_of_key on history (tenant_id, key_id, sequence, place)',
  'create index history_of_request on history (tenant_id, request_id, sequence, place) where request_id is not null',
  'create index history_of_claim on history (tenant_id, claim, sequence, place) where claim is not null',

  // Old versions of one record, compressed together.
  `create table history_packs (
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    record ${keyText} not null,
    format bigint not null,
    first_sequence bigint not null,
    last_sequence bigint not null,
    raw_bytes bigint not null,
    data ${blob} not null,
    primary key (tenant_id, id)
  )`,
  'create index history_packs_of_record on history_packs (tenant_id, record, last_sequence)',

  // How far packing, trimming and purging have come.
  `create table history_positions (
    tenant_id ${keyText} not null,
    packed_sequence bigint not null default 0,
    trimmed_sequence bigint not null default 0,
    trimmed_at bigint not null default 0,
    purged_sequence bigint not null default 0,
    primary key (tenant_id)
  )${clustered}`,

  // An entry restores the deletions in the history from its first to its last sequence.
  `create table trash (
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    kind ${keyText} not null,
    record ${keyText} not null,
    project_id ${keyText} not null,
    title text not null,
    version bigint not null,
    first_sequence bigint not null,
    last_sequence bigint not null,
    deleted_at bigint not null,
    actor text not null,
    -- "kept", or what is being done to the entry, with its progress as JSON.
    state ${keyText} not null,
    progress text,
    primary key (tenant_id, id)
  )`,
  'create index trash_by_time on trash (tenant_id, deleted_at, id)',
  'create index trash_of_record on trash (tenant_id, record)',
  'create index trash_by_sequence on trash (tenant_id, last_sequence)',
  `create index trash_under_way on trash (state, tenant_id) where state <> 'kept'`,

  // Deletions that are too large for one transaction and continue in batches.
  `create table deletions (
    tenant_id ${keyText} not null,
    kind ${keyText} not null,
    id ${keyText} not null,
    record text not null,
    created_at bigint not null,
    primary key (tenant_id, kind, id)
  )${clustered}`,

  // People whose personal data was erased. Rows stay, so that the erasure is repeated on a restored backup.
  `create table erasures (
    tenant_id ${keyText} not null,
    user_id ${keyText} not null,
    requested_at bigint not null,
    requested_by text not null,
    -- Null once the erasure is complete.
    progress text,
    primary key (tenant_id, user_id)
  )${clustered}`,
  'create index erasures_under_way on erasures (requested_at, tenant_id, user_id) where progress is not null',

  `create table audit_entries (
    -- Empty for what concerns no tenant: unknown keys, and what the operator did to the whole database.
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    created_at bigint not null,
    -- Refusals of one kind from one address share an entry for an hour: their number and the time of the last one.
    count bigint not null,
    last_at bigint not null,
    action ${keyText} not null,
    key_id ${keyText},
    actor text,
    address text,
    request_id text,
    via text not null,
    subject text,
    details text not null,
    primary key (tenant_id, id)
  )`,
  'create index audit_entries_by_time on audit_entries (tenant_id, created_at, id)',
  'create index audit_entries_by_action on audit_entries (tenant_id, action, created_at, id)',
  'create index audit_entries_by_key on audit_entries (tenant_id, key_id, created_at, id)',

  `create table inbox_entries (
    tenant_id ${keyText} not null,
    user_id ${keyText} not null,
    -- Counts the entries of the user.
    number bigint not null,
    id ${keyText} not null,
    kind ${keyText} not null,
    -- Identifies the occasion: a user gets one entry of a kind for it.
    cause ${keyText} not null,
    task_id ${keyText},
    comment_id ${keyText},
    project_id ${keyText} not null,
    -- The private project that the text comes from, if the task has left it: the entry is for those who may see both.
    private_project_id ${keyText},
    -- The sequence of the newest event when the entry was written: webhooks follow entries as they follow events.
    sequence bigint not null,
    created_at bigint not null,
    read_at bigint,
    -- The entry as JSON without the time it was read at.
    doc text not null,
    primary key (tenant_id, user_id, number)
  )`,
  'create unique index inbox_by_id on inbox_entries (tenant_id, id)',
  'create unique index inbox_by_cause on inbox_entries (tenant_id, cause, kind, user_id)',
  'create index inbox_by_task on inbox_entries (tenant_id, task_id) where task_id is not null',
  'create index inbox_by_sequence on inbox_entries (tenant_id, sequence)',

  // Times at which a tenant may have background work of a kind. A row stays until that time has passed and the work is
  // done.
  `create table due_work (
    tenant_id ${keyText} not null,
    kind ${keyText} not null,
    due_at bigint not null,
    -- The lease of the node that works on it, by the clock of the database.
    leased_until bigint not null default 0,
    failures bigint not null default 0,
    primary key (tenant_id, kind, due_at)
  )${clustered}`,
  'create index due_work_by_time on due_work (kind, due_at)',
]
