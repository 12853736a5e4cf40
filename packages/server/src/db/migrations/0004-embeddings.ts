import type { Migration } from '../migration.js'

/**
 * Everything is kept by model: nodes of an old and a new setting serve side by side, each with its own vectors, until
 * the old ones are forgotten. A record is named as the log names it, by project and subject.
 */
export const embeddings: Migration = {
  version: 4,
  name: 'embeddings',
  statements: ({ keyText, blob, clustered }) => [
    // `position` is how far the log was read, `last_change` the number of the newest change to a vector.
    `create table embedding_positions (
      tenant_id ${keyText} not null references tenants on delete cascade,
      model ${keyText} not null,
      position bigint not null,
      last_change bigint not null default 0,
      seen_at bigint not null,
      primary key (tenant_id, model)
    )${clustered}`,

    // What waits to be embedded. A claim is a token and a time until which it holds.
    `create table embedding_queue (
      tenant_id ${keyText} not null references tenants on delete cascade,
      model ${keyText} not null,
      kind ${keyText} not null,
      project_id ${keyText} not null,
      subject ${keyText} not null,
      changed_at bigint not null,
      attempts bigint not null default 0,
      due_at bigint not null default 0,
      claim ${keyText},
      primary key (tenant_id, model, kind, project_id, subject)
    )${clustered}`,
    'create index embedding_queue_newest on embedding_queue (model, changed_at)',

    // `vectors` holds those of all windows of the text end to end, one byte a dimension.
    `create table embeddings (
      tenant_id ${keyText} not null references tenants on delete cascade,
      model ${keyText} not null,
      kind ${keyText} not null,
      project_id ${keyText} not null,
      subject ${keyText} not null,
      text_hash text not null,
      windows bigint not null,
      change bigint not null,
      vectors ${blob} not null,
      primary key (tenant_id, model, kind, project_id, subject)
    )`,
    'create unique index embeddings_by_change on embeddings (tenant_id, model, change)',
  ],
}
