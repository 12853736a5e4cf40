import { forTenant } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/project-conditions.js'
import type { ProjectScope, StoredItem } from '../store.js'
import { itemColumnsOf } from '../store.js'
import type { Lifecycle } from '../stored-meta.js'

/** An item that a task relied on, or that was written under its claim; of a deleted one, all but its place is null. */
export interface ReliedRow {
  id: string
  project_id: ProjectScope
  key: string
  version: number | null
  lifecycle: Lifecycle | null
  trust: string | null
  valid_until: number | null
}

interface NewReliedItem {
  id: string
  project_id: ProjectScope
  key: string
}

const idColumns = { id: 'text', project_id: 'text', key: 'text' } as const

/** Gives items an id where they have none. */
export const insertReliedItems = (db: Sql, tenantId: string, items: readonly NewReliedItem[]): Statement => ({
  text: `insert into relied_items (tenant_id, id, project_id, key)
         select t.tenant_id, given.id, given.project_id, given.key
         from ${forTenant(db.dialect.rowsOf(idColumns))}
         on conflict (tenant_id, project_id, key) where is_replaced = 0 do nothing`,
  params: [JSON.stringify(items), tenantId],
})

/** That an item, which has an id, was written under a claim of a task. */
export const insertProduct = (
  tenantId: string,
  taskId: string,
  { project_id, key, version }: Pick<StoredItem, 'project_id' | 'key' | 'version'>,
  writtenAtMs: number,
): Statement => ({
  text: `insert into task_products (tenant_id, task_id, item_id, version, written_at)
         select r.tenant_id, cast(? as text), r.id, cast(? as bigint), cast(? as bigint) from relied_items r
         where r.tenant_id = ? and r.project_id = ? and r.key = ? and r.is_replaced = 0
         on conflict (tenant_id, task_id, item_id) do update set version = excluded.version,
           written_at = excluded.written_at`,
  params: [taskId, version, writtenAtMs, tenantId, project_id, key],
})

const selectRelied = `select r.id, r.project_id, r.key, k.version, k.lifecycle, k.trust, k.valid_until
  from relied_items r left join knowledge k
    on k.tenant_id = :tenant and k.project_id = r.project_id and k.key = r.key and r.is_replaced = 0
      and ${ofVisibleProject('r')}
  where r.tenant_id = ?`

export const findRelied = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<ReliedRow[]> =>
  ids.length === 0
    ? []
    : db.all(`${selectRelied} and ${db.dialect.isAmong('r.id', 'text')}`, [tenantId, db.dialect.listOf(ids)])

/** Items of places; one that another has taken the place of is passed over. */
export const findReliedAt = async (
  db: Sql,
  tenantId: string,
  projectId: ProjectScope,
  keys: readonly string[],
): Promise<ReliedRow[]> =>
  db.all(`${selectRelied} and r.project_id = ? and r.is_replaced = 0 and ${db.dialect.isAmong('r.key', 'text')}`, [
    ...[tenantId, projectId, db.dialect.listOf(keys)],
  ])

/** The items that have these ids and are there. */
export const findItemsOf = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<(StoredItem & { id: string })[]> =>
  ids.length === 0
    ? []
    : db.all(
        `select r.id, ${itemColumnsOf('k')} from relied_items r
         join knowledge k on k.tenant_id = :tenant and k.project_id = r.project_id and k.key = r.key
         where r.tenant_id = ? and r.is_replaced = 0 and ${db.dialect.isAmong('r.id', 'text')}`,
        [tenantId, db.dialect.listOf(ids)],
      )

/** An item takes its id along; what stood once where it comes to is replaced for good. */
export const moveReliedItem = (
  tenantId: string,
  from: readonly [projectId: ProjectScope, key: string],
  to: readonly [projectId: ProjectScope, key: string],
): Statement[] => [
  {
    text: `update relied_items set is_replaced = 1
           where tenant_id = ? and project_id = ? and key = ? and is_replaced = 0`,
    params: [tenantId, ...to],
  },
  {
    text: `update relied_items set project_id = ?, key = ?
           where tenant_id = ? and project_id = ? and key = ? and is_replaced = 0`,
    params: [...to, tenantId, ...from],
  },
]

/** Ids of what stood at a place once and is not there. */
export const findGone = async (db: Sql, tenantId: string, projectId: ProjectScope, key: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    `${selectRelied} and r.project_id = ? and r.key = ? and k.version is null`,
    [tenantId, projectId, key],
  )
  return rows.map(({ id }) => id)
}

export const deleteReliedItems = (db: Sql, tenantId: string, ids: readonly string[]): Statement[] => {
  const params = [tenantId, db.dialect.listOf(ids)]
  return [
    { text: `delete from task_products where tenant_id = ? and ${db.dialect.isAmong('item_id', 'text')}`, params },
    { text: `delete from relied_items where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`, params },
  ]
}

export const deleteProductsOf = (tenantId: string, taskId: string): Statement => ({
  text: 'delete from task_products where tenant_id = ? and task_id = ?',
  params: [tenantId, taskId],
})

/** One check that is wanted twice begins again. */
const onConflict = `on conflict (tenant_id, item_id, dependent) do update set
  due_at = case when excluded.due_at < stale_checks.due_at then excluded.due_at else stale_checks.due_at end,
  after = '', user_id = excluded.user_id,
  since = case when excluded.since > stale_checks.since then excluded.since else stale_checks.since end`

const selectChecks = `select r.tenant_id, r.id, '', cast(? as bigint), cast(? as text), cast(? as bigint) from relied_items r
  where r.tenant_id = ? and r.project_id = ? and r.is_replaced = 0`

const insertChecks = 'insert into stale_checks (tenant_id, item_id, dependent, due_at, user_id, since)'

export interface Cause {
  dueAtMs: number
  userId: string | null
  /** When it came to be; 0 where no cause is new. */
  sinceMs: number
}

/** Queues a look at the dependents of an item, if it can have any. */
export const queueCheck = (
  tenantId: string,
  projectId: ProjectScope,
  key: string,
  { dueAtMs, userId, sinceMs }: Cause,
): Statement => ({
  text: `${insertChecks} ${selectChecks} and r.key = ? ${onConflict}`,
  params: [dueAtMs, userId, sinceMs, tenantId, projectId, key],
})

/** Queues a check of the dependents of all items of a project. */
export const queueChecksOfProject = (
  tenantId: string,
  projectId: ProjectScope,
  { dueAtMs, userId, sinceMs }: Cause,
): Statement => ({
  text: `${insertChecks} ${selectChecks} ${onConflict}`,
  params: [dueAtMs, userId, sinceMs, tenantId, projectId],
})

/** Queues a look at what an item that came back was written on the basis of. */
export const queueReturned = (tenantId: string, projectId: ProjectScope, key: string, dueAtMs: number): Statement => ({
  text: `insert into stale_checks (tenant_id, item_id, dependent, due_at)
         select r.tenant_id, '', r.id, cast(? as bigint) from relied_items r
         where r.tenant_id = ? and r.project_id = ? and r.key = ? and r.is_replaced = 0 ${onConflict}`,
  params: [dueAtMs, tenantId, projectId, key],
})

export const setStale = (
  tenantId: string,
  { project_id, key }: Pick<StoredItem, 'project_id' | 'key'>,
  stale: string | null,
): Statement => ({
  text: `update knowledge set stale = ?, derived_count = derived_count + 1
         where tenant_id = ? and project_id = ? and key = ?`,
  params: [stale, tenantId, project_id, key],
})
