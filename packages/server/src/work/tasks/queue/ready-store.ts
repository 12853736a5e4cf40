import { insertRows } from '../../../db/insert-rows.js'
import type { Sql, Write } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/visible-project.js'

/** How a ready task stands in the queue: by priority, then the earliest due date, then the oldest. */
interface ReadyTask {
  taskId: string
  /** Empty for none. */
  assigneeId: string
  /** 0 is the most urgent. */
  rank: number
  dueAtMs: number
  createdAtMs: number
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
  rank: 'bigint',
  due_at: 'bigint',
  created_at: 'bigint',
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
    rank: task.rank,
    due_at: task.dueAtMs,
    created_at: task.createdAtMs,
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
  ranks: readonly number[] | null
  /** The user whose tasks are wanted besides those of no one. */
  userId: string | null
  parentId: string | null
}

interface ReadyRow {
  task_id: string
  rank: number
  due_at: number
  created_at: number
  project_id: string
  number: number
}

const inOrder = (one: ReadyRow, other: ReadyRow): number => {
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.due_at !== other.due_at) return one.due_at - other.due_at
  if (one.created_at !== other.created_at) return one.created_at - other.created_at
  if (one.project_id !== other.project_id) return one.project_id < other.project_id ? -1 : 1
  return one.number - other.number
}

const shown = 'r.task_id, r.rank, r.due_at, r.created_at, r.project_id, r.number'

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
  rank: number | undefined,
  count: CandidateCount,
) => {
  const ofProject = projectId === undefined ? '' : ' and r.project_id = ?'
  const ofRank = rank === undefined ? '' : ' and r.rank = ?'
  return db.all<ReadyRow>(
    `select ${shown} from ready_tasks r
     where r.tenant_id = ? and r.label = ? and r.assignee_id = ?${ofProject}${ofRank} and r.waits_for is null
       and ${ofVisibleProject('r')}
     order by r.rank, r.due_at, r.created_at, r.project_id, r.number limit ${count}`,
    [
      tenantId,
      label,
      assigneeId,
      ...(projectId === undefined ? [] : [projectId]),
      ...(rank === undefined ? [] : [rank]),
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
  const { projectIds, labels, ranks, userId, parentId } = filter
  for (const label of labels ?? [anyLabel]) {
    for (const assigneeId of userId === null ? [''] : ['', userId]) {
      if (parentId !== null) {
        for (const row of await findBestOfParent(db, tenantId, filter, label, assigneeId)) {
          if (projectIds && !projectIds.includes(row.project_id)) continue
          if (!ranks || ranks.includes(row.rank)) found.push(row)
        }
        continue
      }
      for (const projectId of projectIds ?? [undefined]) {
        for (const rank of ranks ?? [undefined]) {
          found.push(...(await findBestOfKind(db, tenantId, label, assigneeId, projectId, rank, count)))
        }
      }
    }
  }
  // A task with several of the labels is found by each.
  return [...new Set(found.sort(inOrder).map(({ task_id }) => task_id))].slice(0, count)
}
