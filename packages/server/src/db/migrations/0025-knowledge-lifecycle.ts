import type { Migration } from '../migration.js'

const added =
  ',"title":null,"tags":[],"metadata":{},"source":null,"validUntil":null,"supersedes":[],"supersededBy":null,"trust":"unreviewed","verdict":null,"retraction":null'

/** In a list of items that someone judged, withdrew or marked. */
const isNotable = `(lifecycle <> 'current' or trust <> 'unreviewed' or valid_until is not null or stale is not null)`

/**
 * The new columns of knowledge: `lifecycle` is `current`, `superseded` or `retracted`, and a current item has expired
 * once `valid_until` has passed. `superseded_by` is the key, of the same place, that replaces it. `content_by` is who last
 * changed the content, as JSON; null where that is who last changed the item. `stale` is what it relied on that no longer
 * holds, as JSON; null for nothing.
 */
export const knowledgeLifecycle: Migration = {
  version: 25,
  name: 'knowledge lifecycle',
  statements: ({ keyText, clustered }) => [
    `update tenants set stored_bytes = stored_bytes +
       ${added.length} * (select count(*) from knowledge where knowledge.tenant_id = tenants.tenant_id)`,
    // Rebuilt, so that the long content stays last: SQLite reads a row from its beginning.
    `create table knowledge_rebuilt (
      tenant_id ${keyText} not null references tenants,
      project_id ${keyText} not null,
      key ${keyText} not null,
      version bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      lifecycle ${keyText} not null default 'current',
      superseded_by ${keyText},
      valid_until bigint,
      trust ${keyText} not null default 'unreviewed',
      content_by text,
      stale text,
      derived_count bigint not null default 0,
      link_count bigint not null default 0,
      meta text not null,
      content text not null,
      primary key (tenant_id, project_id, key)
    )`,
    `insert into knowledge_rebuilt (tenant_id, project_id, key, version, created_at, updated_at, meta, content)
       select tenant_id, project_id, key, version, created_at, updated_at, meta || '${added}', content from knowledge`,
    'drop table knowledge',
    'alter table knowledge_rebuilt rename to knowledge',
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
    // Where a moved item went, until its old key is written again.
    `alter table retired_knowledge add column moved_to_project ${keyText}`,
    `alter table retired_knowledge add column moved_to_key ${keyText}`,
    'create index moved_knowledge on retired_knowledge (tenant_id, key) where moved_to_key is not null',
    `create index moved_knowledge_to on retired_knowledge (tenant_id, moved_to_project, moved_to_key)
       where moved_to_key is not null`,
    // `target` is a key or, where `kind` says so, a task's id.
    `create table knowledge_links (
      tenant_id ${keyText} not null,
      project_id ${keyText} not null,
      key ${keyText} not null,
      place bigint not null,
      kind ${keyText} not null,
      target ${keyText} not null,
      primary key (tenant_id, project_id, key, place)
    )${clustered}`,
    'create index knowledge_links_to on knowledge_links (tenant_id, kind, target, key, project_id)',
    // An item that a task relied on, or that was written under its claim. It keeps its id when it is moved; one is
    // replaced where another item was moved to the key of a deleted one.
    `create table relied_items (
      tenant_id ${keyText} not null,
      id ${keyText} not null,
      project_id ${keyText} not null,
      key ${keyText} not null,
      is_replaced bigint not null default 0,
      primary key (tenant_id, id)
    )${clustered}`,
    'create unique index relied_items_by_key on relied_items (tenant_id, project_id, key) where is_replaced = 0',
    `create table task_basis (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      item_id ${keyText} not null,
      version bigint not null,
      read_at bigint not null,
      primary key (tenant_id, task_id, item_id, version)
    )${clustered}`,
    'create index task_basis_by_item on task_basis (tenant_id, item_id, task_id, version)',
    `create table task_products (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      item_id ${keyText} not null,
      version bigint not null,
      written_at bigint not null,
      primary key (tenant_id, task_id, item_id)
    )${clustered}`,
    'create index task_products_by_item on task_products (tenant_id, item_id, task_id)',
    // `dependent` is the id of a task or of a relied item, `item_id` what it relied on. An accepted mark is not shown.
    `create table stale_marks (
      tenant_id ${keyText} not null,
      dependent ${keyText} not null,
      item_id ${keyText} not null,
      version bigint not null,
      why ${keyText} not null,
      marked_at bigint not null,
      is_accepted bigint not null default 0,
      primary key (tenant_id, dependent, item_id)
    )${clustered}`,
    'create index stale_marks_by_item on stale_marks (tenant_id, item_id, dependent)',
    // Items whose dependents are to be looked at, from `due_at` on; `after` is where that goes on. With a `dependent` and
    // no item, what that one relied on is looked at. `user_id` is who caused it; marks from before `since` were about
    // an earlier cause.
    `create table stale_checks (
      tenant_id ${keyText} not null,
      item_id ${keyText} not null,
      dependent ${keyText} not null,
      due_at bigint not null,
      after ${keyText} not null default '',
      user_id ${keyText},
      since bigint not null default 0,
      primary key (tenant_id, item_id, dependent)
    )${clustered}`,
    'create index stale_checks_due on stale_checks (due_at)',
    'alter table tasks add column stale text',
    'create index tasks_stale on tasks (tenant_id, created_at, project_id, number) where stale is not null',
  ],
}
