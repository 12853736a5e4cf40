import type { Migration } from '../migration.js'

/** Replaced and deleted versions, and the trash. */
export const history: Migration = {
  version: 13,
  name: 'history',
  statements: ({ keyText, clustered, blob }) => [
    // One row for each change of a task, comment, knowledge item or project: who made it, and what it replaced. The rows
    // of an event have its sequence; what went with the event's own record, as the comments of a deleted task do, follows
    // at the places from 1 on. The text comes last, so that the rest is read without it.
    `create table history (
      tenant_id ${keyText} not null,
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
      door text not null,
      claim ${keyText},
      undoes ${keyText},
      rest text,
      pack_id ${keyText},
      pack_part bigint,
      before text,
      primary key (tenant_id, sequence, place)
    )`,
    'create index history_of_record on history (tenant_id, record, sequence, place)',
    'create index history_of_key on history (tenant_id, key_id, sequence, place)',
    'create index history_of_request on history (tenant_id, request_id, sequence, place) where request_id is not null',
    'create index history_of_claim on history (tenant_id, claim, sequence, place) where claim is not null',

    // Versions of one record, compressed together.
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

    // How far the service's own rounds have come.
    `create table history_positions (
      tenant_id ${keyText} not null,
      packed_sequence bigint not null default 0,
      trimmed_sequence bigint not null default 0,
      trimmed_at bigint not null default 0,
      purged_sequence bigint not null default 0,
      primary key (tenant_id)
    )${clustered}`,

    // What an entry holds are the deletions in the history from its first to its last sequence.
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
      state ${keyText} not null,
      progress text,
      primary key (tenant_id, id)
    )`,
    'create index trash_by_time on trash (tenant_id, deleted_at, id)',
    'create index trash_of_record on trash (tenant_id, record)',
    'create index trash_by_sequence on trash (tenant_id, last_sequence)',
    `create index trash_by_age on trash (deleted_at, tenant_id) where state = 'kept'`,
    `create index trash_under_way on trash (state, tenant_id) where state <> 'kept'`,

    'create index projects_being_deleted on projects (tenant_id, id) where deleting_at is not null',
    `alter table events add column undoes ${keyText}`,
    'create index webhook_deliveries_by_sequence on webhook_deliveries (tenant_id, sequence) where sequence is not null',
  ],
}
