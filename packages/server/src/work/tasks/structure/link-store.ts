import { insertRows } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'

/**
 * Links between tasks, by what a task waits for: its blockers, its children, and, through its parent, the blockers of
 * its ancestors. A child is linked both ways.
 */
type LinkKind = 'blocker' | 'child' | 'parent'

export interface Link {
  taskId: string
  kind: LinkKind
  otherId: string
}

export const blockerLink = (taskId: string, otherId: string): Link => ({ taskId, kind: 'blocker', otherId })

/** None for a task at the top. */
export const parentLinks = (taskId: string, parentId: string | null): Link[] =>
  parentId === null
    ? []
    : [
        { taskId, kind: 'parent', otherId: parentId },
        { taskId: parentId, kind: 'child', otherId: taskId },
      ]

const columns = { task_id: 'text', kind: 'text', other_id: 'text' } as const

export const insertLinks = (db: Sql, tenantId: string, links: readonly Link[]): Statement[] =>
  insertRows(
    db,
    tenantId,
    'task_links',
    columns,
    links.map(({ taskId, kind, otherId }) => ({ task_id: taskId, kind, other_id: otherId })),
  )

export const deleteLinks = (tenantId: string, links: readonly Link[]): Statement[] =>
  links.map(({ taskId, kind, otherId }) => ({
    text: 'delete from task_links where tenant_id = ? and task_id = ? and kind = ? and other_id = ?',
    params: [tenantId, taskId, kind, otherId],
  }))

/** What the given tasks block waits for them no longer. */
export const deleteBlockerLinks = (db: Sql, tenantId: string, blockerIds: readonly string[]): Statement => ({
  text: `delete from task_links where tenant_id = ? and kind = 'blocker' and ${db.dialect.isAmong('other_id', 'text')}`,
  params: [tenantId, db.dialect.listOf(blockerIds)],
})

/** The tasks that a link of this kind leads to this one from: for `blocker`, those that it blocks. */
export const linkedFrom = async (db: Sql, tenantId: string, kind: LinkKind, otherId: string): Promise<string[]> => {
  const found = await db.all<{ task_id: string }>(
    'select task_id from task_links where tenant_id = ? and other_id = ? and kind = ?',
    [tenantId, otherId, kind],
  )
  return found.map(({ task_id }) => task_id)
}

/** The tasks that wait for one of these. */
export const findDependents = async (db: Sql, tenantId: string, blockerIds: readonly string[]): Promise<string[]> => {
  const found = await db.all<{ task_id: string }>(
    `select distinct task_id from task_links
     where tenant_id = ? and kind = 'blocker' and ${db.dialect.isAmong('other_id', 'text')}`,
    [tenantId, db.dialect.listOf(blockerIds)],
  )
  return found.map(({ task_id }) => task_id)
}

export const linkedTo = async (
  db: Sql,
  tenantId: string,
  kind: LinkKind,
  taskIds: readonly string[],
): Promise<Link[]> => {
  if (taskIds.length === 0) return []
  const found = await db.all<{ task_id: string; other_id: string }>(
    `select task_id, other_id from task_links where tenant_id = ? and kind = ? and ${db.dialect.isAmong('task_id', 'text')}`,
    [tenantId, kind, db.dialect.listOf(taskIds)],
  )
  return found.map(({ task_id, other_id }) => ({ taskId: task_id, kind, otherId: other_id }))
}

// In the recursive queries a cross join keeps SQLite to this order: a look-up for each row found, never a reading of all
// links of the tenant.

const subtree = `with recursive subtree (id, level) as (
       select id, 1 from tasks where tenant_id = ? and id = ?
       union all
       select l.other_id, s.level + 1 from subtree s cross join task_links l
         where l.tenant_id = ? and l.task_id = s.id and l.kind = 'child')`

/** The task and everything below it, itself included, up to `count`; its own level is 1. */
export const findSubtreeLevels = async (
  db: Sql,
  tenantId: string,
  rootId: string,
  count: number,
): Promise<{ id: string; level: number }[]> =>
  db.all(`${subtree} select id, level from subtree limit cast(? as bigint)`, [tenantId, rootId, tenantId, count])

export const findSubtree = async (db: Sql, tenantId: string, rootId: string, count: number): Promise<string[]> =>
  (await findSubtreeLevels(db, tenantId, rootId, count)).map(({ id }) => id)

/** How many tasks that is, up to `count`. */
export const countSubtree = async (db: Sql, tenantId: string, rootId: string, count: number): Promise<number> => {
  const row = await db.get<{ count: number }>(
    `${subtree} select count(*) as count from (select 1 from subtree limit cast(? as bigint)) counted`,
    [tenantId, rootId, tenantId, count],
  )
  return row!.count
}

/** The parent, its parent and so on up to the top. */
export const findAncestors = async (db: Sql, tenantId: string, taskId: string): Promise<string[]> => {
  const found = await db.all<{ id: string; depth: number }>(
    `with recursive ancestors (id, depth) as (
       select other_id, 1 from task_links where tenant_id = ? and task_id = ? and kind = 'parent'
       union
       select l.other_id, a.depth + 1 from ancestors a cross join task_links l
         where l.tenant_id = ? and l.task_id = a.id and l.kind = 'parent')
     select id, depth from ancestors order by depth`,
    [tenantId, taskId, tenantId],
  )
  return found.map(({ id }) => id)
}

/** A link that a search has come by: what a task waits for, or is below. */
export interface FollowedLink {
  from: string
  kind: LinkKind
  to: string
}

/**
 * Links from tasks to what they wait for, from there to what those wait for and so on, up to `count`. A task that is
 * only the ancestor of one lends it its blockers, not its children; nobody waits for a closed child.
 */
export const followLinks = async (
  db: Sql,
  tenantId: string,
  fromIds: readonly string[],
  count: number,
): Promise<FollowedLink[]> => {
  const links = db.dialect.joinByKey('task_links', 'l', { tenant_id: '?', task_id: 'r.id' })
  const isFollowed = `(l.kind <> 'child' or (r.is_waited_for = 1 and exists
    (select 1 from tasks c where c.tenant_id = ? and c.id = l.other_id and c.status not in ('done', 'cancelled'))))`
  return db.all(
    `with recursive reach (id, is_waited_for) as (
       select id, 1 from tasks where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}
       union
       select l.other_id, case when l.kind = 'parent' then 0 else 1 end from reach r ${links} where ${isFollowed})
     select r.id as "from", l.kind, l.other_id as "to" from reach r ${links} where ${isFollowed} limit cast(? as bigint)`,
    [tenantId, db.dialect.listOf(fromIds), tenantId, tenantId, tenantId, tenantId, count],
  )
}

/** How many tasks each of these blocks, counted up to a bound. */
export const countDependents = async (
  db: Sql,
  tenantId: string,
  blockerIds: readonly string[],
  bound: number,
): Promise<Map<string, number>> => {
  if (blockerIds.length === 0) return new Map()
  const rows = await db.all<{ id: string; count: number }>(
    `select b.id, (select count(*) from (select 1 as one from task_links l
       where l.tenant_id = ? and l.other_id = b.id and l.kind = 'blocker' limit cast(? as bigint)) found) as count
     from tasks b where b.tenant_id = ? and ${db.dialect.isAmong('b.id', 'text')}`,
    [tenantId, bound, tenantId, db.dialect.listOf(blockerIds)],
  )
  return new Map(rows.map(({ id, count }) => [id, count]))
}
