import type { Awaitable } from '../../../base/awaitable.js'
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

/** How many tasks' links one statement follows. */
const maxFollowed = 200

/**
 * Returns the links from some tasks to what they wait for. A task inherits the blockers of its ancestors but not their
 * children, and no task waits for a closed child.
 */
const followOnce = (
  db: Sql,
  tenantId: string,
  { waitedFor, ancestors }: { waitedFor: readonly string[]; ancestors: readonly string[] },
  count: number,
): Awaitable<FollowedLink[]> => {
  const { isAmong, listOf } = db.dialect
  return db.all(
    `select l.task_id as "from", l.kind, l.other_id as "to" from task_links l
     where l.tenant_id = ? and ${isAmong('l.task_id', 'text')} and (l.kind <> 'child' or (${isAmong('l.task_id', 'text')}
       and exists (select 1 from tasks c
         where c.tenant_id = :tenant and c.id = l.other_id and c.status not in ('done', 'cancelled'))))
     limit cast(? as bigint)`,
    [tenantId, listOf([...waitedFor, ...ancestors]), listOf(waitedFor), count],
  )
}

/** Follows links from tasks to what they wait for, transitively, up to `count` links and in bounded statements. */
export const followLinks = async (
  db: Sql,
  tenantId: string,
  fromIds: readonly string[],
  count: number,
): Promise<FollowedLink[]> => {
  const found = new Map<string, FollowedLink>()
  const seen = new Map<string, boolean>()
  const queue: { id: string; isWaitedFor: boolean }[] = []
  const reach = (id: string, isWaitedFor: boolean): void => {
    const known = seen.get(id)
    if (known === true || known === isWaitedFor) return
    seen.set(id, isWaitedFor)
    queue.push({ id, isWaitedFor })
  }
  for (const id of fromIds) reach(id, true)
  for (let at = 0; at < queue.length && found.size < count; ) {
    const some = queue.slice(at, at + maxFollowed)
    at += some.length
    const idsOf = (isWaitedFor: boolean): string[] =>
      some.filter((each) => each.isWaitedFor === isWaitedFor).map(({ id }) => id)
    for (const link of await followOnce(db, tenantId, { waitedFor: idsOf(true), ancestors: idsOf(false) }, count)) {
      found.set(`${link.from} ${link.kind} ${link.to}`, link)
      reach(link.to, link.kind !== 'parent')
    }
  }
  return [...found.values()].slice(0, count)
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
