import type { Dialect } from '../../dialect.js'

/** Selects items that somebody judged, withdrew or marked. */
const isNotable = `(lifecycle <> 'current' or trust <> 'unreviewed' or valid_until is not null or stale is not null)`

/** Tables of knowledge items and of the tasks and items that rely on them. */
export const knowledgeTables = ({ keyText, clustered }: Dialect): string[] => [
  `create table knowledge (
    tenant_id ${keyText} not null references tenants,
    -- Empty for items of the tenant as a whole.
    project_id ${keyText} not null,
    key ${keyText} not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- "current", "superseded" or "retracted". A current item has expired once valid_until has passed.
    lifecycle ${keyText} not null default 'current',
    -- The key of the item that replaces this one in the same project.
    superseded_by ${keyText},
    valid_until bigint,
    trust ${keyText} not null default 'unreviewed',
    -- Who last changed the content, as JSON; null if nobody else changed the item since.
    content_by text,
    -- What the item relied on that is no longer valid, as JSON.
    stale text,
    -- Counts changes of derived fields, which a response shows without a new version.
    derived_count bigint not null default 0,
    link_count bigint not null default 0,
    -- The item as JSON without its content and the closing brace.
    meta text not null,
    -- A JSON string literal. SQLite reads a row from its beginning, so the long content comes last.
    content text not null,
    primary key (tenant_id, project_id, key)
  )`,
  'create index knowledge_by_key on knowledge (tenant_id, key, project_id)',
  `create index knowledge_notable on knowledge (tenant_id, key, project_id) where ${isNotable}`,
  'create index knowledge_ending on knowledge (tenant_id, valid_until) where valid_until is not null',

  `create table knowledge_tags (
    tenant_id ${keyText} not null,
    project_id ${keyText} not null,
    key ${keyText} not null,
    tag ${keyText} not null,
    primary key (tenant_id, project_id, key, tag)
  )${clustered}`,
  'create index knowledge_by_tag on knowledge_tags (tenant_id, tag, key, project_id)',

  // The links in the content of items.
  `create table knowledge_links (
    tenant_id ${keyText} not null,
    project_id ${keyText} not null,
    key ${keyText} not null,
    place bigint not null,
    kind ${keyText} not null,
    -- The key of an item or, depending on the kind, the id of a task.
    target ${keyText} not null,
    primary key (tenant_id, project_id, key, place)
  )${clustered}`,
  'create index knowledge_links_to on knowledge_links (tenant_id, kind, target, key, project_id)',

  // The last version of a deleted or moved item. Projects appear by their keys, which outlive their ids.
  `create table retired_knowledge (
    tenant_id ${keyText} not null references tenants,
    project_key ${keyText} not null,
    key ${keyText} not null,
    last_version bigint not null,
    -- Where the item was moved to, until its old key is written again.
    moved_to_project ${keyText},
    moved_to_key ${keyText},
    primary key (tenant_id, project_key, key)
  )${clustered}`,
  'create index moved_knowledge on retired_knowledge (tenant_id, key) where moved_to_key is not null',
  `create index moved_knowledge_to on retired_knowledge (tenant_id, moved_to_project, moved_to_key)
   where moved_to_key is not null`,

  // Items that a task relied on, or that were written under its claim. An item keeps its id when it is moved.
  `create table relied_items (
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    project_id ${keyText} not null,
    key ${keyText} not null,
    -- 1 once another item was moved to the key of this deleted one.
    is_replaced bigint not null default 0,
    primary key (tenant_id, id)
  )${clustered}`,
  'create unique index relied_items_by_key on relied_items (tenant_id, project_id, key) where is_replaced = 0',

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

  // What was written under the claims of tasks.
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
    -- The id of a task or of a relied item.
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

  // Items whose dependents have to be checked, or dependents whose items have to be.
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
