import type { Awaitable } from '../../../base/awaitable.js'
import type { Sql, Statement } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/project-conditions.js'
import type { ProjectScope } from '../store.js'
import type { Lifecycle } from '../stored-meta.js'

/** The columns that determine whether an item is valid. */
interface ReliedRow {
  id: string
  project_id: ProjectScope
  key: string
  version: number
  lifecycle: Lifecycle
  trust: string
  valid_until: number | null
}

/** Returns the existing items among these IDs. */
export const findRelied = (db: Sql, tenantId: string, ids: readonly string[]): Awaitable<ReliedRow[]> =>
  ids.length === 0
    ? []
    : db.all(
        `select k.id, k.project_id, k.key, k.version, k.lifecycle, k.trust, k.valid_until from knowledge k
         where k.tenant_id = ? and ${db.dialect.isAmong('k.id', 'text')} and ${ofVisibleProject('k')}`,
        [tenantId, db.dialect.listOf(ids)],
      )

/** Records that a version of an item was written under a claim of a task. */
export const insertProduct = (
  tenantId: string,
  taskId: string,
  { id, version }: { id: string; version: number },
  writtenAtMs: number,
): Statement => ({
  text: `insert into task_products (tenant_id, task_id, item_id, version, written_at) values (?, ?, ?, ?, ?)
         on conflict (tenant_id, task_id, item_id) do update set version = excluded.version,
           written_at = excluded.written_at`,
  params: [tenantId, taskId, id, version, writtenAtMs],
})

export const deleteProductsOf = (tenantId: string, taskId: string): Statement => ({
  text: 'delete from task_products where tenant_id = ? and task_id = ?',
  params: [tenantId, taskId],
})

/** Deletes the records of the tasks under whose claims an item was written. */
export const deleteProduct = (tenantId: string, itemId: string): Statement => ({
  text: 'delete from task_products where tenant_id = ? and item_id = ?',
  params: [tenantId, itemId],
})

/** A check that is queued again starts over. */
const onConflict = `on conflict (tenant_id, item_id, dependent) do update set
  due_at = case when excluded.due_at < stale_checks.due_at then excluded.due_at else stale_checks.due_at end,
  after = '', user_id = excluded.user_id,
  since = case when excluded.since > stale_checks.since then excluded.since else stale_checks.since end`

export interface Cause {
  dueAtMs: number
  userId: string | null
  /** Time of the cause; 0 if there is no new cause. */
  sinceMs: number
}

/** Queues a check of the dependents of each item that a task has relied on. */
export const queueChecks = (
  { dialect }: Sql,
  tenantId: string,
  ids: readonly string[],
  { dueAtMs, userId, sinceMs }: Cause,
): Statement => ({
  text: `insert into stale_checks (tenant_id, item_id, dependent, due_at, user_id, since)
         select b.tenant_id, b.item_id, '', cast(? as bigint), cast(? as text), cast(? as bigint) from task_basis b
         where b.tenant_id = ? and ${dialect.isAmong('b.item_id', 'text')} group by b.tenant_id, b.item_id ${onConflict}`,
  params: [dueAtMs, userId, sinceMs, tenantId, dialect.listOf(ids)],
})

/** Queues a check of the dependents of all items of a project. */
export const queueChecksOfProject = (
  tenantId: string,
  projectId: ProjectScope,
  { dueAtMs, userId, sinceMs }: Cause,
): Statement => ({
  text: `insert into stale_checks (tenant_id, item_id, dependent, due_at, user_id, since)
         select k.tenant_id, k.id, '', cast(? as bigint), cast(? as text), cast(? as bigint) from knowledge k
         where k.tenant_id = ? and k.project_id = ?
           and exists (select 1 from task_basis b where b.tenant_id = :tenant and b.item_id = k.id) ${onConflict}`,
  params: [dueAtMs, userId, sinceMs, tenantId, projectId],
})

/** Queues a check of the items that a restored item was based on. */
export const queueReturned = (tenantId: string, id: string, dueAtMs: number): Statement => ({
  text: `insert into stale_checks (tenant_id, item_id, dependent, due_at)
         select p.tenant_id, '', p.item_id, cast(? as bigint) from task_products p
         where p.tenant_id = ? and p.item_id = ? group by p.tenant_id, p.item_id ${onConflict}`,
  params: [dueAtMs, tenantId, id],
})

export const setStale = (tenantId: string, id: string, stale: string | null): Statement => ({
  text: 'update knowledge set stale = ? where tenant_id = ? and id = ?',
  params: [stale, tenantId, id],
})
