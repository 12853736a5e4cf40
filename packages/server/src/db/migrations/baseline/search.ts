import type { Dialect } from '../../dialect.js'

/**
 * Tables of the search index and of vectors. Vectors are kept by model, so that nodes with an old and a new setting serve
 * side by side until the vectors of the old model are deleted. Records are identified by project and subject, as in events.
 */
export const searchTables = ({ keyText, blob, clustered }: Dialect): string[] => [
  // A snapshot is written part by part and is valid once all parts are there.
  `create table search_snapshots (
    tenant_id ${keyText} not null references tenants on delete cascade,
    generation ${keyText} not null,
    part bigint not null,
    parts bigint not null,
    sequence bigint not null,
    data ${blob} not null,
    primary key (tenant_id, generation, part)
  )`,

  `create table embedding_positions (
    tenant_id ${keyText} not null references tenants on delete cascade,
    model ${keyText} not null,
    -- The sequence up to which the events were read.
    position bigint not null,
    -- The number of the newest change of a vector.
    last_change bigint not null default 0,
    seen_at bigint not null,
    primary key (tenant_id, model)
  )${clustered}`,

  // Records that wait to be embedded.
  `create table embedding_queue (
    tenant_id ${keyText} not null references tenants on delete cascade,
    model ${keyText} not null,
    kind ${keyText} not null,
    -- The id of the record.
    subject ${keyText} not null,
    changed_at bigint not null,
    attempts bigint not null default 0,
    due_at bigint not null default 0,
    -- The token of the node that embeds the record, until due_at.
    claim ${keyText},
    primary key (tenant_id, model, kind, subject)
  )${clustered}`,
  'create index embedding_queue_newest on embedding_queue (model, changed_at)',
  'create index embedding_queue_of_tenant on embedding_queue (tenant_id, model, changed_at)',

  `create table embeddings (
    tenant_id ${keyText} not null references tenants on delete cascade,
    model ${keyText} not null,
    kind ${keyText} not null,
    -- The id of the record.
    subject ${keyText} not null,
    text_hash text not null,
    windows bigint not null,
    change bigint not null,
    -- The vectors of all windows of the text end to end, one byte per dimension.
    vectors ${blob} not null,
    primary key (tenant_id, model, kind, subject)
  )`,
  'create unique index embeddings_by_change on embeddings (tenant_id, model, change)',
]
