import type { Awaitable } from '../../base/awaitable.js'
import type { Json } from '../../base/json.js'
import { statementOn } from '../../db/given-rows.js'
import type { Sql } from '../../db/port.js'
import { isVisibleProject, ofVisibleProject } from '../../db/project-conditions.js'
import { parseStatuses } from '../../tenancy/projects/statuses.js'
import { noWork, type WorkRecord } from './checks/rules.js'
import type { Claim } from './claims/schema.js'
import { jsonWith, ofAssignee, parseDoc, type StoredDoc, taskJson } from './json-store.js'
import type { Task } from './schema.js'
import type { StoredTask } from './stored-task.js'

interface TaskRow {
  assignee_id: string | null
  assignee: string | null
  doc: StoredDoc
  claim_number: number
  claim: string | null
  claim_lease_ms: number | null
  expired_claim: string | null
  open_blockers: number
  blocked_ancestors: number
  open_children: number
  total_children: number
  comment_count: number
  open_questions: number
  has_dependents: boolean | 0 | 1
  derived_count: number
  work_record: string | null
  statuses: string | null
  stale: string | null
  wake_at: number | null
  number: number
  rank: number
}

/** Of changes that a task shows without a new version, also to the name of its assignee. */
const derivedCount = `case when t.assignee_id is null then t.derived_count
  else t.derived_count + coalesce(${ofAssignee('renames')}, 0) end`

const taskStatement = `select t.version, ${derivedCount} as derived_count, t.project_id, ${taskJson} as json from tasks t
  where t.tenant_id = ? and t.id = ? and ${isVisibleProject('t.project_id')}`

interface TaskText {
  json: Json<Task>
  version: number
  derived_count: number
  project_id: string
}

export const findTaskJson = (db: Sql, tenantId: string, id: string): Awaitable<TaskText | undefined> =>
  db.lookup(taskStatement, [tenantId, id], tenantId)

export interface WantedTask {
  id: string
  /** Further fields of its answer; there are some. */
  more: Json<object>
}

/** These tasks in this order; those that are gone are passed over. */
export const findTasksJson = async (
  db: Sql,
  tenantId: string,
  wanted: readonly WantedTask[],
): Promise<Json<Task[]>> => {
  const rows = wanted.map(({ id, more }, place) => ({ id, more: `,${more.slice(1, -1)}`, place }))
  const { text, params } = statementOn(
    db,
    'tasks with more fields',
    { id: 'text', more: 'text', place: 'bigint' },
    rows,
    (given) =>
      `select ${db.dialect.joined('json', ',')} as tasks from (
         select ${jsonWith('t.doc', 'given.more')} as json from ${given} cross join tasks t
         where t.tenant_id = ? and t.id = given.id and ${ofVisibleProject('t')} order by given.place) page`,
  )
  const found = await db.get<{ tasks: string | null }>(text, [...params, tenantId])
  return `[${found?.tasks ?? ''}]`
}

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T))

const storedTaskOf = (row: TaskRow): StoredTask => ({
  doc: parseDoc(row.doc),
  assigneeId: row.assignee_id,
  assignee: parsed<Task['assignee']>(row.assignee),
  claims: {
    number: row.claim_number,
    current: parsed<Claim>(row.claim),
    leaseMs: row.claim_lease_ms ?? 0,
    expired: parsed<Claim>(row.expired_claim),
  },
  counts: {
    openBlockers: row.open_blockers,
    blockedAncestors: row.blocked_ancestors,
    openChildren: row.open_children,
    totalChildren: row.total_children,
    commentCount: row.comment_count,
    openQuestions: row.open_questions,
    hasDependents: Boolean(row.has_dependents),
    derived: row.derived_count,
  },
  work: parsed<WorkRecord>(row.work_record) ?? noWork,
  statuses: parseStatuses(row.statuses),
  stale: row.stale,
  wakeAtMs: row.wake_at,
  number: row.number,
  rank: row.rank,
})

const storedColumns = `t.assignee_id, ${ofAssignee('assignee_doc')} as assignee, t.doc, t.claim_number, t.claim, t.claim_lease_ms,
  t.expired_claim, t.open_blockers, t.blocked_ancestors, t.open_children, t.total_children, t.comment_count,
  t.open_questions,
  exists (select 1 from task_links l where l.tenant_id = :tenant and l.other_id = t.id and l.kind = 'blocker')
    as has_dependents, t.derived_count, t.work_record, t.stale, t.wake_at, t.number, t.rank,
  (select p.statuses from projects p where p.tenant_id = :tenant and p.id = t.project_id) as statuses`

/** Reads a task to change it: changes of one tenant never run at the same time, so nothing can come between. */
export const findTask = async (db: Sql, tenantId: string, id: string): Promise<StoredTask | undefined> => {
  const row = await db.get<TaskRow>(
    `select ${storedColumns} from tasks t
     where t.tenant_id = ? and t.id = ? and ${isVisibleProject('t.project_id')}`,
    [tenantId, id],
  )
  return row && storedTaskOf(row)
}

/** The project of a task, where it is paused. */
export const findPausedProject = async (
  db: Sql,
  tenantId: string,
  taskId: string,
): Promise<{ id: string; key: string; paused: string } | undefined> =>
  db.get(
    `select p.id, p.key, p.paused from projects p where p.tenant_id = ? and p.paused is not null
       and p.id = (select t.project_id from tasks t where t.tenant_id = ? and t.id = ?)`,
    [tenantId, tenantId, taskId],
  )

const findAmong = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
  condition: string,
): Promise<StoredTask[]> => {
  if (ids.length === 0) return []
  const rows = await db.all<TaskRow>(
    `select ${storedColumns} from tasks t where t.tenant_id = ? and ${db.dialect.isAmong('t.id', 'text')}${condition}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  const found = new Map(rows.map(storedTaskOf).map((task) => [task.doc.id, task]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Finds tasks, including those of deleted projects, in the order of the given IDs. */
export const findTasks = (db: Sql, tenantId: string, ids: readonly string[]): Promise<StoredTask[]> =>
  findAmong(db, tenantId, ids, '')

/** Finds tasks that are not in a deleted project, in the order of the given ids. */
export const findVisibleTasks = (db: Sql, tenantId: string, ids: readonly string[]): Promise<StoredTask[]> =>
  findAmong(db, tenantId, ids, ` and ${ofVisibleProject('t')}`)

export const hasProjectTasks = async (db: Sql, tenantId: string, projectId: string): Promise<boolean> =>
  (await db.get('select 1 as found from tasks where tenant_id = ? and project_id = ? limit 1', [
    tenantId,
    projectId,
  ])) !== undefined

export const findProjectTasks = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  count: number,
): Promise<StoredTask[]> => {
  const rows = await db.all<TaskRow>(
    `select ${storedColumns} from tasks t where t.tenant_id = ? and t.project_id = ? limit cast(? as bigint)`,
    [tenantId, projectId, count],
  )
  return rows.map(storedTaskOf)
}

/** Returns the IDs of the next tasks of a project in creation order, even if the project is deleted. */
export const findProjectTaskIdsAfter = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  after: string | null,
  count: number,
): Promise<string[]> => {
  const isAfter =
    ' and (t.created_at, t.number) > (select a.created_at, a.number from tasks a where a.tenant_id = ? and a.id = ?)'
  const rows = await db.all<{ id: string }>(
    `select t.id from tasks t where t.tenant_id = ? and t.project_id = ?${after === null ? '' : isAfter}
     order by t.created_at, t.number limit cast(? as bigint)`,
    [tenantId, projectId, ...(after === null ? [] : [tenantId, after]), count],
  )
  return rows.map(({ id }) => id)
}

export const taskIdsAssignedTo = async (
  db: Sql,
  tenantId: string,
  userId: string,
  count: number,
): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    'select id from tasks where tenant_id = ? and assignee_id = ? limit cast(? as bigint)',
    [tenantId, userId, count],
  )
  return rows.map(({ id }) => id)
}
