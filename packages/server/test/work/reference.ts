import type { Sql } from '../../src/db/port.js'
import type { Claim } from '../../src/work/tasks/claims/schema.js'
import { priorities } from '../../src/work/tasks/fields.js'
import { parseDoc, type StoredDoc } from '../../src/work/tasks/json-store.js'
import type { Question } from '../../src/work/tasks/questions/schema.js'
import type { Task } from '../../src/work/tasks/schema.js'

/** What the tables hold of a task, and nothing that is derived from other tasks. */
export interface ReferenceTask {
  doc: Pick<
    Task,
    | ('id' | 'projectId' | 'status' | 'priority' | 'labels' | 'dueDate' | 'rank' | 'blockedBy' | 'parentId')
    | 'resources'
  > & { notBefore: string | null; attempts: number; version: number }
  assigneeId: string | null
  claim: Claim | null
  claimNumber: number
  wakeAtMs: number | null
}

/** What the service keeps besides, to be compared with a recount. */
interface KeptCounts {
  openBlockers: number
  blockedAncestors: number
  openChildren: number
  totalChildren: number
  comments: number
  openQuestions: number
}

interface QueueEntry {
  taskId: string
  label: string
  assigneeId: string
  rank: number
  dueAt: number
  createdAt: number
  projectId: string
  number: number
}

export interface Tables {
  tasks: Map<string, ReferenceTask>
  kept: Map<string, KeptCounts>
  queue: QueueEntry[]
  /** The task that a queued one was found to wait for. */
  waitsFor: Map<string, string>
  resources: string[]
  links: string[]
  comments: Map<string, number>
  openQuestions: Map<string, string[]>
  maxAttempts: Map<string, number>
}

const never = 9_007_199_254_740_991

interface Row {
  id: string
  doc: StoredDoc
  rank: number
  assignee_id: string | null
  claim: string | null
  claim_number: number
  wake_at: number | null
  open_blockers: number
  blocked_ancestors: number
  open_children: number
  total_children: number
  comment_count: number
  open_questions: number
}

/** The rows of a deleted project stay in its tables until it is purged. */
const isShown = 'project_id in (select id from projects where tenant_id = ? and deleting_at is null)'

export const readTables = async (db: Sql, tenantId: string): Promise<Tables> => {
  const [rows, queue, links, comments, questions, projects, resources] = await Promise.all([
    db.all<Row>(`select * from tasks where tenant_id = ? and ${isShown}`, [tenantId, tenantId]),
    db.all<Record<string, never>>(`select * from ready_tasks where tenant_id = ? and ${isShown}`, [tenantId, tenantId]),
    db.all<Record<string, string>>('select * from task_links where tenant_id = ?', [tenantId]),
    db.all<{ task_id: string }>('select task_id from comments where tenant_id = ?', [tenantId]),
    db.all<{ task_id: string; doc: string }>('select task_id, doc from questions where tenant_id = ? order by id', [
      tenantId,
    ]),
    db.all<{ id: string; max_attempts: number }>(
      'select id, max_attempts from projects where tenant_id = ? and deleting_at is null',
      [tenantId],
    ),
    db.all<Record<string, string>>(`select * from task_resources where tenant_id = ? and ${isShown}`, [
      tenantId,
      tenantId,
    ]),
  ])
  const shown = new Set(rows.map(({ id }) => id))
  const counted = new Map<string, number>()
  for (const { task_id } of comments) counted.set(task_id, (counted.get(task_id) ?? 0) + 1)
  const openQuestions = new Map<string, string[]>()
  for (const { task_id, doc } of questions) {
    const { id, state } = JSON.parse(doc) as Question
    if (state === 'open') openQuestions.set(task_id, [...(openQuestions.get(task_id) ?? []), id])
  }
  return {
    openQuestions,
    tasks: new Map(
      rows.map((row) => [
        row.id,
        {
          doc: { ...parseDoc(row.doc), rank: Number(row.rank) },
          assigneeId: row.assignee_id,
          claim: row.claim === null ? null : JSON.parse(row.claim),
          claimNumber: row.claim_number,
          wakeAtMs: row.wake_at,
        },
      ]),
    ),
    kept: new Map(
      rows.map((row) => [
        row.id,
        {
          openBlockers: row.open_blockers,
          blockedAncestors: row.blocked_ancestors,
          openChildren: row.open_children,
          totalChildren: row.total_children,
          comments: row.comment_count,
          openQuestions: row.open_questions,
        },
      ]),
    ),
    queue: queue.map((row) => ({
      taskId: row.task_id!,
      label: row.label!,
      assigneeId: row.assignee_id!,
      rank: row.urgency!,
      dueAt: row.due_at!,
      createdAt: row.rank!,
      projectId: row.project_id!,
      number: row.number!,
    })),
    waitsFor: new Map(queue.flatMap(({ task_id, waits_for }) => (waits_for === null ? [] : [[task_id!, waits_for!]]))),
    resources: resources
      .map(({ task_id, project_id, resource, reserved }) => `${task_id} ${project_id} ${resource} ${reserved}`)
      .sort(),
    links: links
      .filter(({ task_id }) => shown.has(task_id!))
      .map(({ task_id, kind, other_id }) => `${task_id} ${kind} ${other_id}`)
      .sort(),
    comments: counted,
    maxAttempts: new Map(projects.map(({ id, max_attempts }) => [id, max_attempts])),
  }
}

export const isClosed = ({ doc }: ReferenceTask): boolean => doc.status === 'done' || doc.status === 'cancelled'

export const isLive = (claim: Claim | null, nowMs: number): boolean =>
  claim !== null && Date.parse(claim.expiresAt) > nowMs

export const overlap = (one: string, other: string): boolean =>
  one === other ||
  `${one}/` === other ||
  `${other}/` === one ||
  (one.endsWith('/') && other.startsWith(one)) ||
  (other.endsWith('/') && one.startsWith(other))

export const needsSame = (one: ReferenceTask, other: ReferenceTask): boolean =>
  one.doc.resources.some((resource) => other.doc.resources.some((each) => overlap(resource, each)))

/** Every count again, from the tasks alone and without regard to cost. */
export const createReference = ({ tasks, comments, openQuestions, maxAttempts }: Tables, nowMs: number) => {
  const all = [...tasks.values()]
  const openBlockersOf = ({ doc }: ReferenceTask): string[] =>
    doc.blockedBy.filter((id) => tasks.has(id) && !isClosed(tasks.get(id)!))

  const ancestorsOf = ({ doc }: ReferenceTask): ReferenceTask[] => {
    const parent = doc.parentId === null ? undefined : tasks.get(doc.parentId)
    return parent ? [parent, ...ancestorsOf(parent)] : []
  }

  const childrenOf = ({ doc }: ReferenceTask): ReferenceTask[] => all.filter((other) => other.doc.parentId === doc.id)

  const countsOf = (task: ReferenceTask): KeptCounts => {
    const children = childrenOf(task)
    return {
      openBlockers: openBlockersOf(task).length,
      blockedAncestors: ancestorsOf(task).filter((ancestor) => openBlockersOf(ancestor).length > 0).length,
      openChildren: children.filter((child) => !isClosed(child)).length,
      totalChildren: children.length,
      comments: comments.get(task.doc.id) ?? 0,
      openQuestions: openQuestions.get(task.doc.id)?.length ?? 0,
    }
  }

  const isFree = (task: ReferenceTask): boolean => {
    const { openBlockers, blockedAncestors, openChildren, openQuestions } = countsOf(task)
    const { attempts, projectId } = task.doc
    const waits = openBlockers + blockedAncestors + openChildren + openQuestions
    return waits === 0 && attempts < maxAttempts.get(projectId)!
  }

  const hasLapsed = ({ claim }: ReferenceTask): boolean => claim !== null && !isLive(claim, nowMs)

  /** The tasks with a live claim that reserve what this one needs. */
  const holdersFor = (task: ReferenceTask): string[] =>
    all
      .filter((other) => other !== task && other.doc.id !== task.doc.id && isLive(other.claim, nowMs))
      .filter((other) => other.doc.projectId === task.doc.projectId && needsSame(task, other))
      .map(({ doc }) => doc.id)

  const statusNow = (task: ReferenceTask): Task['status'] =>
    task.doc.status === 'in_progress' && hasLapsed(task) ? 'todo' : task.doc.status

  const isReadyFor = (task: ReferenceTask, actor: { userId: string | null; projectIds: string[] | null }): boolean =>
    statusNow(task) === 'todo' &&
    isFree(task) &&
    holdersFor(task).length === 0 &&
    (task.doc.notBefore === null || Date.parse(task.doc.notBefore) <= nowMs) &&
    (task.assigneeId === null || task.assigneeId === actor.userId) &&
    (actor.projectIds === null || actor.projectIds.includes(task.doc.projectId))

  const placeOf = ({ doc }: ReferenceTask): (number | string)[] => [
    priorities.length - 1 - priorities.indexOf(doc.priority),
    doc.dueDate === null ? never : Date.parse(doc.dueDate),
    doc.rank,
    doc.projectId,
    Number(doc.id.split('-')[1]),
  ]

  const compare = (one: ReferenceTask, other: ReferenceTask): number => {
    const [a, b] = [placeOf(one), placeOf(other)]
    const at = a.findIndex((value, index) => value !== b[index])
    if (at < 0) return 0
    return a[at]! < b[at]! ? -1 : 1
  }

  /** The tasks that an actor could be handed, the best first. */
  const readyFor = (actor: { userId: string | null; projectIds: string[] | null }): ReferenceTask[] =>
    all.filter((task) => isReadyFor(task, actor)).sort(compare)

  /** What the queue is to hold: what is written down as ready, not what time alone has made so. */
  const queue = (): QueueEntry[] =>
    all
      .filter((task) => task.doc.status === 'todo' && task.wakeAtMs === null && isFree(task))
      .flatMap((task) =>
        ['', ...task.doc.labels].map((label) => {
          const [rank, dueAt, createdAt, projectId, number] = placeOf(task) as [number, number, number, string, number]
          return {
            taskId: task.doc.id,
            label,
            assigneeId: task.assigneeId ?? '',
            rank,
            dueAt,
            createdAt,
            projectId,
            number,
          }
        }),
      )

  const resources = (): string[] =>
    all
      .flatMap(({ doc: { id, projectId, resources }, claim }) =>
        resources.map((resource) => `${id} ${projectId} ${resource} ${claim ? 1 : 0}`),
      )
      .sort()

  const links = (): string[] =>
    all
      .flatMap(({ doc: { id, blockedBy, parentId } }) => [
        ...blockedBy.map((other) => `${id} blocker ${other}`),
        ...(parentId === null ? [] : [`${id} parent ${parentId}`, `${parentId} child ${id}`]),
      ])
      .sort()

  /** Whether some task would wait for itself. */
  const hasCycle = (): boolean => {
    const waitsFor = (task: ReferenceTask): string[] => [
      ...[task, ...ancestorsOf(task)].flatMap(({ doc }) => doc.blockedBy),
      // Nobody waits for a closed child.
      ...childrenOf(task).flatMap(({ doc }) => (['done', 'cancelled'].includes(doc.status) ? [] : [doc.id])),
    ]
    const state = new Map<string, 'open' | 'done'>()
    const visit = (id: string): boolean => {
      const task = tasks.get(id)
      if (!task || state.get(id) === 'done') return false
      if (state.get(id) === 'open') return true
      state.set(id, 'open')
      const found = waitsFor(task).some(visit)
      state.set(id, 'done')
      return found
    }
    const isOwnAncestor = ({ doc }: ReferenceTask): boolean => {
      let parentId = doc.parentId
      for (let level = 0; parentId !== null && level < 20; level++) {
        if (parentId === doc.id) return true
        parentId = tasks.get(parentId)?.doc.parentId ?? null
      }
      return false
    }
    return all.some(isOwnAncestor) || all.some(({ doc }) => visit(doc.id))
  }

  const blockedBy = (task: ReferenceTask): string[] => [
    ...new Set([task, ...ancestorsOf(task)].flatMap((each) => openBlockersOf(each))),
  ]

  return {
    ...{ countsOf, statusNow, readyFor, queue, links, hasCycle, blockedBy, hasLapsed, ancestorsOf, childrenOf },
    ...{ holdersFor, resources },
  }
}

export type Reference = ReturnType<typeof createReference>
