import { isListed, type ProjectSet } from '../../../base/project-set.js'
import { insertRows } from '../../../db/given-rows.js'
import type { Sql, Write } from '../../../db/port.js'
import { inProjects, ofRunningProject, ofVisibleProject } from '../../../db/project-conditions.js'
import { holderOf } from '../resources/store.js'

/** How a ready task stands in the queue: by priority, then the earliest due date, then its rank. */
interface ReadyTask {
  taskId: string
  /** Empty for none. */
  assigneeId: string
  /** 0 is the most urgent. */
  urgency: number
  dueAtMs: number
  rank: number
  projectId: string
  number: number
}

export interface QueuedTask extends ReadyTask {
  labels: readonly string[]
}

const columns = {
  task_id: 'text',
  label: 'text',
  assignee_id: 'text',
  urgency: 'bigint',
  due_at: 'bigint',
  rank: 'bigint',
  project_id: 'text',
  number: 'bigint',
} as const

/** The entry that every ready task has. */
export const anyLabel = ''

const entriesOf = (task: QueuedTask) =>
  [anyLabel, ...task.labels].map((label) => ({
    task_id: task.taskId,
    label,
    assignee_id: task.assigneeId,
    urgency: task.urgency,
    due_at: task.dueAtMs,
    rank: task.rank,
    project_id: task.projectId,
    number: task.number,
  }))

export const enqueue = (db: Sql, tenantId: string, tasks: readonly QueuedTask[]): Write[] =>
  insertRows(db, tenantId, 'ready_tasks', columns, tasks.flatMap(entriesOf))

export const dequeue = (db: Sql, tenantId: string, taskIds: readonly string[]): Write[] => {
  if (taskIds.length === 0) return []
  if (taskIds.length === 1) {
    return [
      {
        table: 'ready_tasks',
        text: 'delete from ready_tasks where tenant_id = ? and task_id = ?',
        params: [tenantId, taskIds[0]!],
      },
    ]
  }
  return [
    {
      table: 'ready_tasks',
      text: `delete from ready_tasks where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}`,
      params: [tenantId, db.dialect.listOf(taskIds)],
    },
  ]
}

/** What the task that is wanted must be like. */
export interface ReadyFilter {
  projectIds: ProjectSet
  labels: readonly string[] | null
  urgencies: readonly number[] | null
  /** The user whose tasks are wanted besides those of no one. */
  userId: string | null
  parentId: string | null
}

interface ReadyRow {
  task_id: string
  urgency: number
  due_at: number
  rank: number
  project_id: string
  number: number
  /** A task that reserves what this one needs. */
  holder_id: string | null
}

const inOrder = (one: ReadyRow, other: ReadyRow): number => {
  if (one.urgency !== other.urgency) return one.urgency - other.urgency
  if (one.due_at !== other.due_at) return one.due_at - other.due_at
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.project_id !== other.project_id) return one.project_id < other.project_id ? -1 : 1
  return one.number - other.number
}

export const maxCandidates = 250

/** How many tasks are looked at together: as a rule only the best, more where those looked at wait for resources. */
export const candidateCounts = [1, 4, 32, maxCandidates] as const

interface Kind {
  label: string
  assigneeId: string
  parentId: string | null
  projects: string | ProjectSet
  urgency: number | undefined
}

/** One range of an index, whose first entries are the best of their kind; of a parent, its children. */
const findBestOfKind = (db: Sql, tenantId: string, kind: Kind, count: number) => {
  const { label, assigneeId, parentId, projects, urgency } = kind
  const { dialect } = db
  const [table, ofParent, parent] =
    parentId === null
      ? ['ready_tasks r', '', []]
      : [
          `tasks t ${dialect.joinByKey('ready_tasks', 'r', { tenant_id: ':tenant', task_id: 't.id' })}`,
          ' and t.tenant_id = :tenant and t.parent_id = ?',
          [parentId],
        ]
  const [ofProjects, projectIds] =
    typeof projects === 'string' ? [' and r.project_id = ?', [projects]] : inProjects(dialect, 'r.project_id', projects)
  const ofUrgency = urgency === undefined ? '' : ' and r.urgency = ?'
  return db.all<ReadyRow>(
    `select r.task_id, r.urgency, r.due_at, r.rank, r.project_id, r.number, ${holderOf('r.task_id')} as holder_id
     from ${table} where r.tenant_id = ? and r.label = ? and r.assignee_id = ?${ofParent}${ofProjects}${ofUrgency}
       and r.waits_for is null and ${ofVisibleProject('r')} and ${ofRunningProject('r')}
     order by r.urgency, r.due_at, r.rank, r.project_id, r.number limit ${count}`,
    [tenantId, label, assigneeId, ...parent, ...projectIds, ...(urgency === undefined ? [] : [urgency])],
  )
}

/** A ready task, and another one that reserves what it needs. */
interface Candidate {
  taskId: string
  holderId: string | null
}

/**
 * The ready tasks to hand out next, the best first: none that is known to wait for a resource. Their cost grows with the
 * values of the filter, not with the tasks.
 */
export const findBest = async (
  db: Sql,
  tenantId: string,
  { projectIds, labels, urgencies, userId, parentId }: ReadyFilter,
  count: number,
): Promise<Candidate[]> => {
  const found: ReadyRow[] = []
  for (const label of labels ?? [anyLabel]) {
    for (const assigneeId of userId === null ? [''] : ['', userId]) {
      for (const projects of isListed(projectIds) ? projectIds : [projectIds]) {
        for (const urgency of urgencies ?? [undefined]) {
          const kind = { label, assigneeId, parentId, projects, urgency }
          found.push(...(await findBestOfKind(db, tenantId, kind, count)))
        }
      }
    }
  }
  // A task with several of the labels is found by each.
  const holders = new Map(found.sort(inOrder).map(({ task_id, holder_id }) => [task_id, holder_id]))
  return [...holders].slice(0, count).map(([taskId, holderId]) => ({ taskId, holderId }))
}
