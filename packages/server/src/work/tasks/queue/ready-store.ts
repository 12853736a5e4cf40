import { insertRows } from '../../../db/insert-rows.js'
import type { Sql, Write } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/visible-project.js'

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
interface ReadyFilter {
  projectIds: readonly string[] | null
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
}

const inOrder = (one: ReadyRow, other: ReadyRow): number => {
  if (one.urgency !== other.urgency) return one.urgency - other.urgency
  if (one.due_at !== other.due_at) return one.due_at - other.due_at
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.project_id !== other.project_id) return one.project_id < other.project_id ? -1 : 1
  return one.number - other.number
}

const shown = 'r.task_id, r.urgency, r.due_at, r.rank, r.project_id, r.number'

const findBestOfParent = (db: Sql, tenantId: string, filter: ReadyFilter, label: string, assigneeId: string) =>
  db.all<ReadyRow>(
    `select ${shown} from tasks t join ready_tasks r on r.tenant_id = t.tenant_id and r.task_id = t.id
     where t.tenant_id = ? and t.parent_id = ? and r.label = ? and r.assignee_id = ? and r.waits_for is null`,
    [tenantId, filter.parentId, label, assigneeId],
  )

/** How many tasks are looked at together where the best ones wait for a resource. */
export const maxCandidates = 250

type CandidateCount = 1 | typeof maxCandidates

/** One range of an index, whose first entries are the best of their kind. */
const findBestOfKind = (
  db: Sql,
  tenantId: string,
  label: string,
  assigneeId: string,
  projectId: string | undefined,
  urgency: number | undefined,
  count: CandidateCount,
) => {
  const ofProject = projectId === undefined ? '' : ' and r.project_id = ?'
  const ofUrgency = urgency === undefined ? '' : ' and r.urgency = ?'
  return db.all<ReadyRow>(
    `select ${shown} from ready_tasks r
     where r.tenant_id = ? and r.label = ? and r.assignee_id = ?${ofProject}${ofUrgency} and r.waits_for is null
       and ${ofVisibleProject('r')}
     order by r.urgency, r.due_at, r.rank, r.project_id, r.number limit ${count}`,
    [
      tenantId,
      label,
      assigneeId,
      ...(projectId === undefined ? [] : [projectId]),
      ...(urgency === undefined ? [] : [urgency]),
      tenantId,
    ],
  )
}

/**
 * The ready tasks to hand out next, the best first: none that is known to wait for a resource. Their cost grows with the
 * values of the filter, not with the tasks.
 */
export const findBest = async (
  db: Sql,
  tenantId: string,
  filter: ReadyFilter,
  count: CandidateCount,
): Promise<string[]> => {
  const found: ReadyRow[] = []
  const { projectIds, labels, urgencies, userId, parentId } = filter
  for (const label of labels ?? [anyLabel]) {
    for (const assigneeId of userId === null ? [''] : ['', userId]) {
      if (parentId !== null) {
        for (const row of await findBestOfParent(db, tenantId, filter, label, assigneeId)) {
          if (projectIds && !projectIds.includes(row.project_id)) continue
          if (!urgencies || urgencies.includes(row.urgency)) found.push(row)
        }
        continue
      }
      for (const projectId of projectIds ?? [undefined]) {
        for (const urgency of urgencies ?? [undefined]) {
          found.push(...(await findBestOfKind(db, tenantId, label, assigneeId, projectId, urgency, count)))
        }
      }
    }
  }
  // A task with several of the labels is found by each.
  return [...new Set(found.sort(inOrder).map(({ task_id }) => task_id))].slice(0, count)
}
