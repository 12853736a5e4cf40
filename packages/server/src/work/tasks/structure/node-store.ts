import type { Sql, Statement } from '../../../db/port.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import type { Readiness } from '../queue/readiness-store.js'
import { urgencyOf } from '../queue/ready.js'
import type { QueuedTask } from '../queue/ready-store.js'

/** What others' changes can change of a task, and what is needed to queue it. */
export interface TaskNode extends Readiness {
  id: string
  totalChildren: number
  /** How often what the task shows of its counts has changed. */
  derived: number
  queued: QueuedTask
}

interface NodeRow {
  id: string
  project_id: string
  number: number
  status: Category
  priority: number
  assignee_id: string | null
  due_at: number | null
  rank: number
  labels: string
  attempts: number
  wake_at: number | null
  open_blockers: number
  blocked_ancestors: number
  open_children: number
  total_children: number
  open_questions: number
  derived_count: number
}

const never = 9_007_199_254_740_991

const nodeOf = (row: NodeRow): TaskNode => ({
  id: row.id,
  statusCategory: row.status,
  attempts: row.attempts,
  wakeAtMs: row.wake_at,
  openBlockers: row.open_blockers,
  blockedAncestors: row.blocked_ancestors,
  openChildren: row.open_children,
  totalChildren: row.total_children,
  openQuestions: row.open_questions,
  derived: row.derived_count,
  queued: {
    taskId: row.id,
    labels: JSON.parse(row.labels) as string[],
    assigneeId: row.assignee_id ?? '',
    urgency: urgencyOf(row.priority),
    dueAtMs: row.due_at ?? never,
    rank: row.rank,
    projectId: row.project_id,
    number: row.number,
  },
})

const columns = `id, project_id, number, status, priority, assignee_id, due_at, rank, labels, attempts, wake_at,
  open_blockers, blocked_ancestors, open_children, total_children, open_questions, derived_count`

export const findNodes = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<TaskNode[]> => {
  if (ids.length === 0) return []
  const rows = await db.all<NodeRow>(
    `select ${columns} from tasks where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return rows.map(nodeOf)
}

/** Tasks of a project by how often they were claimed. */
export const findAttempted = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  [from, below]: readonly [from: number, below: number],
): Promise<TaskNode[]> => {
  const rows = await db.all<NodeRow>(
    `select ${columns} from tasks where tenant_id = ? and project_id = ? and attempts > 0 and attempts >= ? and attempts < ?`,
    [tenantId, projectId, from, below],
  )
  return rows.map(nodeOf)
}

const countColumns = {
  openBlockers: 'open_blockers',
  blockedAncestors: 'blocked_ancestors',
  openChildren: 'open_children',
  totalChildren: 'total_children',
  derived: 'derived_count',
} as const

const countNames = Object.keys(countColumns) as (keyof typeof countColumns)[]

const countsStatement = (db: Sql): string =>
  `update tasks set ${Object.values(countColumns)
    .map((column) => `${column} = ${column} + cast(? as bigint)`)
    .join(', ')}
   where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`

/** Changes the counts of tasks: those by which a change makes the same difference share a statement. */
export const updateCounts = (
  db: Sql,
  tenantId: string,
  changes: readonly { before: TaskNode; now: TaskNode }[],
): Statement[] => {
  const idsByDifference = new Map<string, { steps: number[]; ids: string[] }>()
  for (const { before, now } of changes) {
    const steps = countNames.map((name) => now[name] - before[name])
    const same = idsByDifference.get(steps.join()) ?? { steps, ids: [] }
    same.ids.push(now.id)
    idsByDifference.set(steps.join(), same)
  }
  return [...idsByDifference.values()].map(({ steps, ids }) => ({
    text: countsStatement(db),
    params: [...steps, tenantId, db.dialect.listOf(ids)],
  }))
}

/** How many of the tasks that each of these waits for are open. */
export const countOpenBlockers = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await db.all<{ task_id: string; open: number }>(
    `select l.task_id, cast(count(*) as bigint) as open
     from task_links l join tasks t on t.tenant_id = :tenant and t.id = l.other_id
     where l.tenant_id = ? and ${db.dialect.isAmong('l.task_id', 'text')} and l.kind = 'blocker'
       and t.status not in ('done', 'cancelled')
     group by l.task_id`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return new Map(rows.map(({ task_id, open }) => [task_id, open]))
}

/** How many direct children tasks have, and how many of them are open. */
export const countChildren = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { total: number; open: number }>> => {
  const rows = await db.all<{ parent_id: string; total: number; open: number }>(
    `select parent_id, cast(count(*) as bigint) as total,
       cast(sum(case when status in ('done', 'cancelled') then 0 else 1 end) as bigint) as open
     from tasks where tenant_id = ? and ${db.dialect.isAmong('parent_id', 'text')} group by parent_id`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return new Map(rows.map(({ parent_id, total, open }) => [parent_id, { total, open }]))
}
