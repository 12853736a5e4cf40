import type { Dialect } from '../../dialect.js'

/** Selects items that somebody judged, withdrew or marked. */
const isNotable = `(lifecycle <> 'current' or trust <> 'unreviewed' or valid_until is not null or stale is not null)`

/** Tables of knowledge items and of the tasks and items that rely on them. */
export const knowledgeTables = ({ keyText, clustered }: Dialect): string[] => [
  `create table knowledge (
    tenant_id ${keyText} not null references tenants,
    id ${keyText} not null,
    -- Empty for items of the tenant as a whole.
    project_id ${keyText} not null,
    key ${keyText} not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- "current", "superseded" or "retracted". A current item has expired once valid_until has passed.
    lifecycle ${keyText} not null default 'current',
    -- The id of the item that replaces this one.
    superseded_by ${keyText},
    -- How many rows of knowledge_supersedes the item has.
    superseding bigint not null default 0,
    valid_until bigint,
    trust ${keyText} not null default 'unreviewed',
    -- Who last changed the content, as JSON; null if nobody else changed the item since.
    content_by text,
    -- What the item relied on that is no longer valid, as JSON.
    stale text,
    -- Counts changes of derived fields, which a response shows without a new version.
    derived_count bigint not null default 0,
    link_count bigint not null default 0,
    -- The item as JSON without its content, the items that it is linked to by superseding, and the closing brace.
    meta text not null,
    -- A JSON string literal. SQLite reads a row from its beginning, so the long content comes last.
    content text not null,
    primary key (tenant_id, id)
  )`,
  'create unique index knowledge_by_place on knowledge (tenant_id, project_id, key)',
  'create index knowledge_by_key on knowledge (tenant_id, key, project_id)',
  `create index knowledge_notable on knowledge (tenant_id, key, project_id) where ${isNotable}`,
  'create index knowledge_ending on knowledge (tenant_id, valid_until) where valid_until is not null',

  // The items that an item supersedes, even while it is retracted.
  `create table knowledge_supersedes (
    tenant_id ${keyText} not null,
    item_id ${keyText} not null,
    place bigint not null,
    superseded_id ${keyText} not null,
    primary key (tenant_id, item_id, place)
  )${clustered}`,
  'create index knowledge_superseded on knowledge_supersedes (tenant_id, superseded_id, item_id)',

  // The key and project follow the tag in the index, so that a list by tag is in order.
  `create table knowledge_tags (
    tenant_id ${keyText} not null,
    item_id ${keyText} not null,
    tag ${keyText} not null,
    project_id ${keyText} not null,
    key ${keyText} not null,
    primary key (tenant_id, item_id, tag)
  )${clustered}`,
  'create index knowledge_by_tag on knowledge_tags (tenant_id, tag, key, project_id)',

  // The links in the content of items.
  `create table knowledge_links (
    tenant_id ${keyText} not null,
    item_id ${keyText} not null,
    place bigint not null,
    kind ${keyText} not null,
    -- The key of an item as it was written or, depending on the kind, the id of a task.
    target ${keyText} not null,
    primary key (tenant_id, item_id, place)
  )${clustered}`,
  'create index knowledge_links_to on knowledge_links (tenant_id, kind, target, item_id, place)',

  // The item that last left a key by a move or a deletion. The row stays when another item gets the key.
  `create table knowledge_keys (
    tenant_id ${keyText} not null,
    project_id ${keyText} not null,
    key ${keyText} not null,
    -- The key of the project: versions go on counting in a new project with the same key.
    project_key ${keyText} not null,
    item_id ${keyText} not null,
    -- The version that the item had when it left.
    last_version bigint not null,
    primary key (tenant_id, project_id, key)
  )${clustered}`,
  'create index knowledge_keys_by_key on knowledge_keys (tenant_id, key, project_key)',
  'create index knowledge_keys_of_item on knowledge_keys (tenant_id, item_id)',

  // What tasks relied on.
  `create table task_basis (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    item_id ${keyText} not null,
    version bigint not null,
    read_at bigint not null,
    primary key (tenant_id, task_id, item_id, version)
  )${clustered}`,
  'create index task_basis_by_item on task_basis (tenant_id, item_id, task_id, version)',

  // Items written under the claims of tasks.
  `create table task_products (
    tenant_id ${keyText} not null,
    task_id ${keyText} not null,
    item_id ${keyText} not null,
    version bigint not null,
    written_at bigint not null,
    primary key (tenant_id, task_id, item_id)
  )${clustered}`,
  'create index task_products_by_item on task_products (tenant_id, item_id, task_id)',

  `create table stale_marks (
    tenant_id ${keyText} not null,
    -- The id of a task or of an item.
    dependent ${keyText} not null,
    -- The item that the dependent relied on.
    item_id ${keyText} not null,
    version bigint not null,
    why ${keyText} not null,
    marked_at bigint not null,
    -- An accepted mark is not shown.
    is_accepted bigint not null default 0,
    primary key (tenant_id, dependent, item_id)
  )${clustered}`,
  'create index stale_marks_by_item on stale_marks (tenant_id, item_id, dependent)',

  // Pending checks: either of all dependents of an item, or of everything that one dependent relied on.
  `create table stale_checks (
    tenant_id ${keyText} not null,
    -- Empty to check what the dependent relied on.
    item_id ${keyText} not null,
    dependent ${keyText} not null,
    due_at bigint not null,
    -- The last dependent that was checked: the next batch begins after it.
    after ${keyText} not null default '',
    -- Who caused the check.
    user_id ${keyText},
    -- Older marks had an earlier cause.
    since bigint not null default 0,
    primary key (tenant_id, item_id, dependent)
  )${clustered}`,
  'create index stale_checks_of_tenant on stale_checks (tenant_id, due_at)',
]
