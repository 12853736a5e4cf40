import { isListed, type ProjectSet } from '../../../base/project-set.js'
import { insertRows } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'
import { inProjects, ofRunningProject, ofVisibleProject } from '../../../db/project-conditions.js'
import { priorities } from '../fields.js'
import { holderOf } from '../resources/store.js'

/** A ready task with its position in the queue: by priority, then the earliest due date, then its rank. */
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

export const enqueue = (db: Sql, tenantId: string, tasks: readonly QueuedTask[]): Statement[] =>
  insertRows(db, tenantId, 'ready_tasks', columns, tasks.flatMap(entriesOf))

export const dequeue = (db: Sql, tenantId: string, taskIds: readonly string[]): Statement[] => {
  if (taskIds.length === 0) return []
  if (taskIds.length === 1) {
    return [
      {
        text: 'delete from ready_tasks where tenant_id = ? and task_id = ?',
        params: [tenantId, taskIds[0]!],
      },
    ]
  }
  return [
    {
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

/** A ready task, and the task that reserves one of its resources, if any. */
export interface Candidate {
  taskId: string
  urgency: number
  dueAtMs: number
  rank: number
  projectId: string
  number: number
  holderId: string | null
}

export const inOrder = (one: Candidate, other: Candidate): number => {
  if (one.urgency !== other.urgency) return one.urgency - other.urgency
  if (one.dueAtMs !== other.dueAtMs) return one.dueAtMs - other.dueAtMs
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.projectId !== other.projectId) return one.projectId < other.projectId ? -1 : 1
  return one.number - other.number
}

const candidateJson = `'["' || task_id || '",' || urgency || ',' || due_at || ',' || rank || ',"' || project_id || '",'
  || number || ',' || coalesce('"' || holder_id || '"', 'null') || ']'`

const candidatesFrom = (text: string | null): Candidate[] => {
  const rows = JSON.parse(`[${text ?? ''}]`) as [string, number, number, number, string, number, string | null][]
  return rows.map(([taskId, urgency, dueAtMs, rank, projectId, number, holderId]) => {
    return { taskId, urgency, dueAtMs, rank, projectId, number, holderId }
  })
}

const candidateColumns = `r.task_id, r.urgency, r.due_at, r.rank, r.project_id, r.number,
  ${holderOf('r.task_id')} as holder_id`
const canBeHandedOut = `r.waits_for is null and ${ofVisibleProject('r')} and ${ofRunningProject('r')}`
const candidateOrder = 'order by r.urgency, r.due_at, r.rank, r.project_id, r.number'

/** How many candidates are read at once from one range. */
export const maxCandidates = 250

/** How many candidates consecutive searches read from a range: more after each search that found only waiting tasks. */
export const candidateCounts = [1, 4, 32, maxCandidates] as const
type CandidateCount = (typeof candidateCounts)[number]

/**
 * A part of the queue that an index has in queue order. The project is null if the filter lists none. The urgencies are
 * those from `lowest` to `highest`.
 */
export interface ReadyRange {
  label: string
  assigneeId: string
  projectId: string | null
  lowest: number
  highest: number
}

const anyUrgency = Array.from(priorities, (_, urgency) => urgency)

/** Returns the first and last of each run of consecutive urgencies. */
const runsOf = (urgencies: readonly number[]): { lowest: number; highest: number }[] => {
  const runs: { lowest: number; highest: number }[] = []
  for (const urgency of [...new Set(urgencies)].sort()) {
    const last = runs.at(-1)
    if (last?.highest === urgency - 1) last.highest = urgency
    else runs.push({ lowest: urgency, highest: urgency })
  }
  return runs
}

/** Returns the ranges that together contain every ready task that matches. */
export const rangesOf = ({ projectIds, labels, urgencies, userId }: ReadyFilter): ReadyRange[] => {
  const runs = runsOf(urgencies ?? anyUrgency)
  const projects = isListed(projectIds) ? [...new Set(projectIds)] : [null]
  const assignees = userId === null ? [''] : ['', userId]
  return [...new Set(labels ?? [anyLabel])].flatMap((label) =>
    assignees.flatMap((assigneeId) =>
      projects.flatMap((projectId) => runs.map((run) => ({ label, assigneeId, projectId, ...run }))),
    ),
  )
}

/** How many ranges one statement searches. */
export const maxRangesPerSearch = 500

const rangeColumns = {
  at: 'bigint',
  label: 'text',
  assignee_id: 'text',
  project_id: 'text',
  lowest: 'bigint',
  highest: 'bigint',
} as const

/** Returns the first candidates of each of up to `maxRangesPerSearch` ranges, by seeks along an index. */
export const findFirst = async (
  db: Sql,
  tenantId: string,
  projectIds: ProjectSet,
  ranges: readonly ReadyRange[],
  count: CandidateCount,
): Promise<Candidate[][]> => {
  const { dialect } = db
  const [ofProjects, params] = isListed(projectIds)
    ? [' and r.project_id = given.project_id', []]
    : inProjects(dialect, 'r.project_id', projectIds)
  const text = db.statementText(
    `first ${count} ready of ranges${ofProjects}`,
    () => `select given.at, (
        select ${dialect.joined(candidateJson, ',')} from (
          select ${candidateColumns} from ready_tasks r
          where r.tenant_id = ? and r.label = given.label and r.assignee_id = given.assignee_id${ofProjects}
            and r.urgency between given.lowest and given.highest and ${canBeHandedOut}
          ${candidateOrder} limit ${count}) best) as best
      from ${dialect.rowsOf(rangeColumns)}`,
  )
  const given = ranges.map(({ label, assigneeId, projectId, lowest, highest }, at) => {
    return { at, label, assignee_id: assigneeId, project_id: projectId, lowest, highest }
  })
  const rows = await db.all<{ at: number; best: string | null }>(text, [tenantId, ...params, JSON.stringify(given)])
  const found = ranges.map((): Candidate[] => [])
  for (const { at, best } of rows) found[at] = candidatesFrom(best)
  return found
}

/** Returns the best candidates among the subtasks of `filter.parentId` or, without a parent, among the given tasks. */
export const findBestAmong = async (
  db: Sql,
  tenantId: string,
  { projectIds, labels, urgencies, userId, parentId }: ReadyFilter,
  taskIds: readonly string[],
  count: number,
): Promise<Candidate[]> => {
  const { dialect } = db
  const { isAmong, listOf } = dialect
  const [ofProjects, projects] = inProjects(dialect, 'r.project_id', projectIds)
  const [ofTasks, tasks] =
    parentId === null
      ? [isAmong('q.task_id', 'text'), [listOf(taskIds)]]
      : ['q.task_id in (select t.id from tasks t where t.tenant_id = :tenant and t.parent_id = ?)', [parentId]]
  const text = db.statementText(
    `best ready of ${parentId === null ? 'tasks' : 'a parent'}${ofProjects}`,
    () => `select ${dialect.joined(candidateJson, ',')} as best from (
      select ${candidateColumns} from (
        select distinct q.task_id, q.urgency, q.due_at, q.rank, q.project_id, q.number, q.waits_for from ready_tasks q
        where q.tenant_id = ? and ${ofTasks} and ${isAmong('q.label', 'text')}
          and ${isAmong('q.assignee_id', 'text')} and ${isAmong('q.urgency', 'bigint')}) r
      where ${canBeHandedOut}${ofProjects} ${candidateOrder} limit cast(? as bigint)) best`,
  )
  const row = await db.get<{ best: string | null }>(text, [
    ...[tenantId, ...tasks, listOf(labels ?? [anyLabel]), listOf(userId === null ? [''] : ['', userId])],
    ...[listOf(urgencies ?? anyUrgency), ...projects, count],
  ])
  return candidatesFrom(row!.best)
}
