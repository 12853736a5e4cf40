import { noteDue } from '../../background/note.js'
import { type ProjectSet, withTenantWide } from '../../base/project-set.js'
import { forTenant } from '../../db/given-rows.js'
import type { Sql, Statement } from '../../db/port.js'
import { inProjects, ofVisibleProject } from '../../db/project-conditions.js'
import type { StaleReason } from '../fields/stale-marks.js'

/** That a task relied on a version of an item. */
interface BasisRow {
  task_id: string
  item_id: string
  version: number
  read_at: number
}

/** Records what is not recorded yet; answers that. */
export const insertBasis = async (db: Sql, tenantId: string, rows: readonly BasisRow[]): Promise<BasisRow[]> => {
  const text = `insert into task_basis (tenant_id, task_id, item_id, version, read_at) values (?, ?, ?, ?, ?)
                on conflict (tenant_id, task_id, item_id, version) do nothing`
  const counts = await db.runAll(
    rows.map(({ task_id, item_id, version, read_at }) => ({
      text,
      params: [tenantId, task_id, item_id, version, read_at],
    })),
  )
  return rows.filter((_, at) => counts[at]! > 0)
}

/** A task that relied on an item, or with `item_id` an item that was written under its claims. */
interface DependentPair {
  task_id: string
  /** Empty for the task itself. */
  item_id: string
  /** The newest one that was relied on. */
  version: number
}

const isAfter = (pair: DependentPair, [taskId, itemId]: readonly [taskId: string, itemId: string]): boolean =>
  pair.task_id > taskId || (pair.task_id === taskId && pair.item_id > itemId)

const inOrder = (a: DependentPair, b: DependentPair): number => (isAfter(a, [b.task_id, b.item_id]) ? 1 : -1)

/**
 * The dependents of an item after a pair, in their order. In two reads, of which each follows an index and ends early;
 * one that joins both would look at all dependents for each page.
 */
export const findDependents = async (
  db: Sql,
  tenantId: string,
  itemId: string,
  after: readonly [taskId: string, itemId: string],
  count: number,
): Promise<DependentPair[]> => {
  const tasks = await db.all<{ task_id: string; version: number }>(
    `select task_id, max(version) as version from task_basis
     where tenant_id = ? and item_id = ? and task_id >= ? group by task_id order by task_id limit cast(? as bigint)`,
    [tenantId, itemId, after[0], count + 1],
  )
  const versions = new Map(tasks.map(({ task_id, version }) => [task_id, version]))
  const products = await db.all<{ task_id: string; item_id: string }>(
    `select task_id, item_id from task_products
     where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')} and (task_id, item_id) > (?, ?) and item_id <> ?
     order by task_id, item_id limit cast(? as bigint)`,
    [tenantId, db.dialect.listOf([...versions.keys()]), ...after, itemId, count],
  )
  const pairs = [
    ...tasks.map((task) => ({ ...task, item_id: '' })),
    ...products.map((product) => ({ ...product, version: versions.get(product.task_id)! })),
  ]
  return pairs
    .filter((pair) => isAfter(pair, after))
    .toSorted(inOrder)
    .slice(0, count)
}

/** The products of a task, as dependents of what it relied on. */
export const findProducts = async (db: Sql, tenantId: string, taskId: string, count: number): Promise<string[]> => {
  const rows = await db.all<{ item_id: string }>(
    'select item_id from task_products where tenant_id = ? and task_id = ? order by item_id limit cast(? as bigint)',
    [tenantId, taskId, count],
  )
  return rows.map(({ item_id }) => item_id)
}

/** What a task or an item relied on, after an item, with the newest versions. */
export const findReliedBy = (
  db: Sql,
  tenantId: string,
  dependent: string,
  after: string,
  count: number,
): Promise<{ item_id: string; version: number }[]> | { item_id: string; version: number }[] =>
  db.all(
    `select item_id, max(version) as version from (
       select b.item_id, b.version from task_basis b where b.tenant_id = ? and b.task_id = ? and b.item_id > ?
       union all
       select b.item_id, b.version from task_products p
       join task_basis b on b.tenant_id = :tenant and b.task_id = p.task_id
       where p.tenant_id = ? and p.item_id = ? and b.item_id > ? and b.item_id <> p.item_id) relied
     group by item_id order by item_id limit cast(? as bigint)`,
    [tenantId, dependent, after, tenantId, dependent, after, count],
  )

export interface MarkRow {
  dependent: string
  item_id: string
  version: number
  why: StaleReason
  marked_at: number
  is_accepted: number
}

/** The marks about an item on some dependents. */
export const findMarks = (
  db: Sql,
  tenantId: string,
  itemId: string,
  dependents: readonly string[],
): Promise<MarkRow[]> | MarkRow[] =>
  db.all(
    `select dependent, item_id, version, why, marked_at, is_accepted from stale_marks
     where tenant_id = ? and item_id = ? and ${db.dialect.isAmong('dependent', 'text')}`,
    [tenantId, itemId, db.dialect.listOf(dependents)],
  )

/** Dependents with a mark about an item. */
export const findMarked = async (db: Sql, tenantId: string, itemId: string, count: number): Promise<string[]> => {
  const rows = await db.all<{ dependent: string }>(
    'select dependent from stale_marks where tenant_id = ? and item_id = ? order by dependent limit cast(? as bigint)',
    [tenantId, itemId, count],
  )
  return rows.map(({ dependent }) => dependent)
}

/** The newest marks of each dependent that nobody accepted. */
export const findShownMarks = (
  db: Sql,
  tenantId: string,
  dependents: readonly string[],
  max: number,
): Promise<MarkRow[]> | MarkRow[] =>
  db.all(
    `select dependent, item_id, version, why, marked_at from (
       select m.*, row_number() over (partition by m.dependent order by m.marked_at desc, m.item_id) as place
       from stale_marks m
       where m.tenant_id = ? and m.is_accepted = 0 and ${db.dialect.isAmong('m.dependent', 'text')}) newest
     where place <= cast(? as bigint) order by dependent, place`,
    [tenantId, db.dialect.listOf(dependents), max],
  )

const markColumns = {
  dependent: 'text',
  item_id: 'text',
  version: 'bigint',
  why: 'text',
  marked_at: 'bigint',
} as const

export const writeMarks = (db: Sql, tenantId: string, marks: readonly Omit<MarkRow, 'is_accepted'>[]): Statement => ({
  text: `insert into stale_marks (tenant_id, dependent, item_id, version, why, marked_at)
         select t.tenant_id, given.dependent, given.item_id, given.version, given.why, given.marked_at
         from ${forTenant(db.dialect.rowsOf(markColumns))}
         on conflict (tenant_id, dependent, item_id) do update set version = excluded.version, why = excluded.why,
           marked_at = excluded.marked_at, is_accepted = 0`,
  params: [JSON.stringify(marks), tenantId],
})

export const deleteMarks = (db: Sql, tenantId: string, itemId: string, dependents: readonly string[]): Statement => ({
  text: `delete from stale_marks where tenant_id = ? and item_id = ? and ${db.dialect.isAmong('dependent', 'text')}`,
  params: [tenantId, itemId, db.dialect.listOf(dependents)],
})

/** Marks that are not shown though nobody accepted them were cleared with all others. */
export const acceptMarks = (db: Sql, tenantId: string, dependents: readonly string[]): Statement => ({
  text: `update stale_marks set is_accepted = 1
         where tenant_id = ? and ${db.dialect.isAmong('dependent', 'text')} and is_accepted = 0`,
  params: [tenantId, db.dialect.listOf(dependents)],
})

export const deleteUnaccepted = async (db: Sql, tenantId: string, dependent: string): Promise<void> => {
  await db.run('delete from stale_marks where tenant_id = ? and dependent = ? and is_accepted = 0', [
    tenantId,
    dependent,
  ])
}

/** All that is kept of a task. */
export const deleteOfTask = async (db: Sql, tenantId: string, taskId: string): Promise<void> => {
  await db.runAll(
    ['task_basis where tenant_id = ? and task_id = ?', 'stale_marks where tenant_id = ? and dependent = ?'].map(
      (rows) => ({ text: `delete from ${rows}`, params: [tenantId, taskId] }),
    ),
  )
}

/** All that is kept of an item but the marks that others have because of it. */
export const deleteOfItem = async (db: Sql, tenantId: string, itemId: string): Promise<void> => {
  await db.runAll(
    ['task_basis where tenant_id = ? and item_id = ?', 'stale_marks where tenant_id = ? and dependent = ?'].map(
      (rows) => ({ text: `delete from ${rows}`, params: [tenantId, itemId] }),
    ),
  )
}

/** A look that is due: at the dependents of an item, or with a `dependent` at what that one relied on. */
export interface Check {
  item_id: string
  dependent: string
  after: string
  user_id: string | null
  since: number
}

/** When the next look of a tenant is due. */
export const nextCheckMs = async (db: Sql, tenantId: string): Promise<number | null> => {
  const row = await db.get<{ next: number | null }>(
    'select min(due_at) as next from stale_checks where tenant_id = ?',
    [tenantId],
  )
  return row?.next ?? null
}

export const nextCheck = (db: Sql, tenantId: string, nowMs: number) =>
  db.get<Check>(
    `select item_id, dependent, after, user_id, since from stale_checks
     where tenant_id = ? and due_at <= ? order by due_at limit 1`,
    [tenantId, nowMs],
  )

type CheckKey = Pick<Check, 'item_id' | 'dependent'>

export const continueCheck = async (
  db: Sql,
  tenantId: string,
  { item_id, dependent }: CheckKey,
  after: string,
): Promise<void> => {
  await db.run('update stale_checks set after = ? where tenant_id = ? and item_id = ? and dependent = ?', [
    ...[after, tenantId, item_id, dependent],
  ])
}

export const endCheck = async (db: Sql, tenantId: string, { item_id, dependent }: CheckKey): Promise<void> => {
  await db.run('delete from stale_checks where tenant_id = ? and item_id = ? and dependent = ?', [
    ...[tenantId, item_id, dependent],
  ])
}

/** Looks at the dependents of items at a time; an earlier one that is due stays. */
export const scheduleChecks = (
  db: Sql,
  tenantId: string,
  items: readonly { id: string; atMs: number }[],
  nowMs: number,
): Statement[] =>
  items.flatMap(({ id, atMs }) => [
    {
      text: `insert into stale_checks (tenant_id, item_id, dependent, due_at) values (?, ?, '', ?)
             on conflict (tenant_id, item_id, dependent) do update set due_at = excluded.due_at
             where excluded.due_at < stale_checks.due_at`,
      params: [tenantId, id, atMs],
    },
    ...noteDue(db, { tenantId, kind: 'stale_checks', dueAtMs: atMs }, nowMs),
  ])

interface Readers {
  projectIds: ProjectSet
}

const isReadable = (db: Sql, column: string, { projectIds }: Readers): [text: string, params: string[]] =>
  inProjects(db.dialect, column, withTenantWide(projectIds))

interface ListedBasis {
  item_id: string
  version: number
  read_at: number
  /** Null if the item is deleted. */
  item: { key: string; project_id: string; state: string } | null
}

/** Returns what a task relied on, the newest reads first. */
export const listBasis = async (
  db: Sql,
  tenantId: string,
  taskId: string,
  readers: Readers,
  before: readonly [readAtMs: number, itemId: string, version: number] | undefined,
  { count, nowMs }: { count: number; nowMs: number },
): Promise<ListedBasis[]> => {
  const [readable, places] = isReadable(db, 'k.project_id', readers)
  const from = before ? ' and (b.read_at, b.item_id, b.version) < (cast(? as bigint), ?, cast(? as bigint))' : ''
  const rows = await db.all<Omit<ListedBasis, 'item'> & { key: string | null; project_id: string; state: string }>(
    `select b.item_id, b.version, b.read_at, k.key, k.project_id,
       case when k.lifecycle = 'current' and k.valid_until <= cast(? as bigint) then 'expired'
         else k.lifecycle end as state
     from task_basis b
     left join knowledge k on k.tenant_id = :tenant and k.id = b.item_id and ${ofVisibleProject('k')}
     where b.tenant_id = ? and b.task_id = ? and (k.id is null or (1 = 1${readable}))${from}
     order by b.read_at desc, b.item_id desc, b.version desc limit cast(? as bigint)`,
    [nowMs, tenantId, taskId, ...places, ...(before ?? []), count],
  )
  return rows.map(({ key, project_id, state, ...read }) => ({
    ...read,
    item: key === null ? null : { key, project_id, state },
  }))
}

interface ListedDependent {
  /** 0 for a task, 1 for an item. */
  kind: number
  id: string
  /** Of an item; null for a task. */
  key: string | null
  project_id: string
  version: number
  at: number
}

/** Tasks that relied on an item, then the items that were written under their claims. */
export const listDependents = (
  db: Sql,
  tenantId: string,
  itemId: string,
  readers: Readers & { hasTasks: boolean },
  after: readonly [kind: number, id: string],
  count: number,
): Promise<ListedDependent[]> | ListedDependent[] => {
  const [readableTask, taskPlaces] = isReadable(db, 't.project_id', readers)
  const [readableItem, itemPlaces] = isReadable(db, 'k.project_id', readers)
  return db.all(
    `select kind, id, key, project_id, max(version) as version, max(at) as at from (
       select 0 as kind, b.task_id as id, cast(null as text) as key, t.project_id, b.version, b.read_at as at
       from task_basis b join tasks t on t.tenant_id = :tenant and t.id = b.task_id
       where b.tenant_id = ? and b.item_id = ? and cast(? as bigint) = 1 and ${ofVisibleProject('t')}${readableTask}
       union all
       select 1, p.item_id, k.key, k.project_id, p.version, p.written_at
       from task_basis b
       join task_products p on p.tenant_id = :tenant and p.task_id = b.task_id
       join knowledge k on k.tenant_id = :tenant and k.id = p.item_id
       where b.tenant_id = ? and b.item_id = ? and p.item_id <> b.item_id and ${ofVisibleProject('k')}${readableItem}
     ) dependents
     where (kind, id) > (cast(? as bigint), ?)
     group by kind, id, key, project_id order by kind, id limit cast(? as bigint)`,
    [
      ...[tenantId, itemId, readers.hasTasks ? 1 : 0, ...taskPlaces],
      ...[tenantId, itemId, ...itemPlaces],
      ...[...after, count],
    ],
  )
}
