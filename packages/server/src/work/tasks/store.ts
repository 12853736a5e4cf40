import type { Awaitable } from '../../base/awaitable.js'
import type { Json } from '../../base/json.js'
import { insertRows, statementOn } from '../../db/given-rows.js'
import type { Sql, Statement, Value, Write } from '../../db/port.js'
import { isVisibleProject, ofVisibleProject } from '../../db/project-conditions.js'
import { parseStatuses, type Statuses } from '../../tenancy/projects/statuses.js'
import { countsOf, flagsOf, noWork, type WorkRecord } from './checks/rules.js'
import type { ClaimState } from './claims/rules.js'
import type { Claim } from './claims/schema.js'
import { priorities } from './fields.js'
import { claimColumns, claimValues } from './queue/claim-store.js'
import { deleteResources, insertResources, type ResourcefulTask, updateResources } from './resources/store.js'
import { notOnCards, type Task, type TaskVersion } from './schema.js'

/** A task as it is kept: without what is read from elsewhere or changes without a new version. */
export type TaskDoc = Omit<
  Task,
  'assignee' | 'claim' | 'openBlockers' | 'children' | 'commentCount' | 'openQuestions' | 'stale' | 'rank'
>

/** How others stand to a task; none of it is part of a version. */
export interface TaskCounts {
  openBlockers: number
  /** Ancestors that have an open blocker. */
  blockedAncestors: number
  openChildren: number
  totalChildren: number
  commentCount: number
  openQuestions: number
  /** Whether other tasks wait for it. */
  hasDependents: boolean
  /** How often what the task shows of these has changed. */
  derived: number
}

export const noCounts: TaskCounts = {
  openBlockers: 0,
  blockedAncestors: 0,
  openChildren: 0,
  totalChildren: 0,
  commentCount: 0,
  openQuestions: 0,
  hasDependents: false,
  derived: 0,
}

declare const isStored: unique symbol

/**
 * A document as the column `doc` holds it: the JSON of the task up to what is read from elsewhere, so that an answer is
 * several columns put together. Only this file knows it; others use its functions.
 */
export type StoredDoc = string & { readonly [isStored]: true }

export interface StoredTask {
  doc: TaskDoc
  assigneeId: string | null
  assignee: Task['assignee']
  claims: ClaimState
  counts: TaskCounts
  work: WorkRecord
  /** Of its project; null for the built-in ones. */
  statuses: Statuses
  /** What it relied on that no longer holds, as JSON; null for nothing. No part of a version either. */
  stale: string | null
  /** When it is to be queued, where it must not be begun yet. */
  wakeAtMs: number | null
  /** Orders it among the tasks of its project: the number of its id, or another where it came from elsewhere. */
  number: number
  /** Its place in the order that is set by hand; no part of a version. */
  rank: number
}

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

/** Most tasks have none of it, and a constant takes the store a fraction of the time. */
const derivedJson = `case
  when t.claim is null and t.open_blockers = 0 and t.total_children = 0 and t.comment_count = 0
      and t.open_questions = 0 and t.stale is null
    then ',"claim":null,"openBlockers":0,"children":{"total":0,"open":0},"commentCount":0,"openQuestions":0,"stale":[]'
  else concat(',"claim":', coalesce(t.claim, 'null'), ',"openBlockers":', t.open_blockers,
    ',"children":{"total":', t.total_children, ',"open":', t.open_children, '},"commentCount":', t.comment_count,
    ',"openQuestions":', t.open_questions, ',"stale":', coalesce(t.stale, '[]'))
  end`

/** Read for tasks that have one; a join would look for that of each. */
const assigneeDoc = '(select u.assignee_doc from users u where u.tenant_id = :tenant and u.id = t.assignee_id)'
const assigneeJson = `case when t.assignee_id is null then 'null' else coalesce(${assigneeDoc}, 'null') end`

/** The answer of a task `t` with more fields. The brackets let the long text be copied once. */
const jsonWith = (doc: 't.doc' | 't.card', ...more: string[]): string =>
  `${doc} || (${[`',"assignee":'`, assigneeJson, derivedJson, `',"rank":'`, 't.rank', ...more, `'}'`].join(' || ')})`
export const taskJson = jsonWith('t.doc')
/** The same without the long fields, which are not read. */
export const cardJson = jsonWith('t.card')

/** The same for a task that is at hand. */
export const taskJsonOf = (
  { doc, assignee, claims, counts, stale, rank }: StoredTask,
  stored = storedDoc(doc),
): Json<Task> => {
  const { openBlockers, totalChildren, openChildren, commentCount, openQuestions } = counts
  const derived = `"openBlockers":${openBlockers},"children":{"total":${totalChildren},"open":${openChildren}},"commentCount":${commentCount},"openQuestions":${openQuestions},"stale":${stale ?? '[]'},"rank":${rank}`
  return `${stored},"assignee":${JSON.stringify(assignee)},"claim":${JSON.stringify(claims.current)},${derived}}`
}

/** A version of a task: its fields without the claim and what changes without a new version. */
export const versionJsonOf = (
  { doc, assignee }: Pick<StoredTask, 'doc' | 'assignee'>,
  stored = storedDoc(doc),
): Json<TaskVersion> => `${stored},"assignee":${JSON.stringify(assignee)}}`

export const parseDoc = (doc: StoredDoc): TaskDoc => JSON.parse(`${doc}}`) as TaskDoc
export const storedDoc = (doc: TaskDoc): StoredDoc => JSON.stringify(doc).slice(0, -1) as StoredDoc

/** Fields that are undefined are left out of JSON. */
const withoutLongFields = Object.fromEntries(notOnCards.map((name) => [name, undefined]))

/** The same of the fields that a card shows. */
const openCard = (doc: TaskDoc): string =>
  JSON.stringify({ ...doc, ...withoutLongFields, checks: countsOf(doc.checks) }).slice(0, -1)

const taskStatement = `select t.version, t.derived_count, t.project_id, ${taskJson} as json from tasks t
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

const storedColumns = `t.assignee_id, ${assigneeDoc} as assignee, t.doc, t.claim_number, t.claim, t.claim_lease_ms,
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

/** The same of many, in the order of their ids as given; those that are gone are passed over. */
export const findTasks = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<StoredTask[]> => {
  if (ids.length === 0) return []
  const rows = await db.all<TaskRow>(
    `select ${storedColumns} from tasks t where t.tenant_id = ? and ${db.dialect.isAmong('t.id', 'text')}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  const found = new Map(rows.map(storedTaskOf).map((task) => [task.doc.id, task]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

const timeOrNull = (text: string | null): number | null => (text === null ? null : Date.parse(text))

/** Most changes set these. */
const frequentColumns = [
  'status',
  'custom_status',
  'updated_at',
  'version',
  'doc',
  'card',
  'attempts',
  'not_before',
  'wake_at',
  'open_blockers',
  'blocked_ancestors',
  'work_record',
]

const frequentValues = ({ doc, counts, work, wakeAtMs }: StoredTask, stored: StoredDoc): Value[] => [
  doc.statusCategory,
  doc.status === doc.statusCategory ? null : doc.status,
  Date.parse(doc.updatedAt),
  doc.version,
  stored,
  openCard(doc),
  doc.attempts,
  timeOrNull(doc.notBefore),
  wakeAtMs,
  counts.openBlockers,
  counts.blockedAncestors,
  work === noWork ? null : JSON.stringify(work),
]

/** Few changes touch these. SQLite rewrites the index entries of a column that is set, even to the same value. */
const rareColumns = [
  'priority',
  'assignee_id',
  'due_at',
  'labels',
  'parent_id',
  'external_id',
  'check_flags',
  'open_questions',
]

const rareValues = ({ doc, assigneeId, counts }: StoredTask): Value[] => [
  priorities.indexOf(doc.priority),
  assigneeId,
  timeOrNull(doc.dueDate),
  JSON.stringify(doc.labels),
  doc.parentId,
  doc.externalId,
  flagsOf(doc.checks),
  counts.openQuestions,
]

export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))

/** The entries of a task's labels, by their whole key. */
const deleteLabels = (
  db: Sql,
  tenantId: string,
  { doc: { labels, createdAt, projectId }, number }: StoredTask,
): Write[] =>
  labels.length === 0
    ? []
    : [
        {
          table: 'task_labels',
          text: `delete from task_labels where tenant_id = ? and ${db.dialect.isAmong('label', 'text')}
                 and created_at = ? and project_id = ? and number = ?`,
          params: [tenantId, db.dialect.listOf(labels), Date.parse(createdAt), projectId, number],
        },
      ]

const labelColumns = {
  label: 'text',
  created_at: 'bigint',
  project_id: 'text',
  number: 'bigint',
  task_id: 'text',
  assignee_id: 'text',
} as const

const insertLabels = (db: Sql, tenantId: string, { doc, assigneeId, number }: StoredTask): Write[] => {
  const createdAtMs = Date.parse(doc.createdAt)
  const entries = doc.labels.map((label) => ({
    label,
    created_at: createdAtMs,
    project_id: doc.projectId,
    number,
    task_id: doc.id,
    assignee_id: assigneeId,
  }))
  return insertRows(db, tenantId, 'task_labels', labelColumns, entries)
}

export const resourcefulTask = ({ doc, claims }: StoredTask): ResourcefulTask => ({
  taskId: doc.id,
  projectId: doc.projectId,
  resources: doc.resources,
  isClaimed: claims.current !== null,
})

const insertedColumns = [
  ...frequentColumns,
  ...rareColumns,
  ...['tenant_id', 'id', 'project_id', 'number', 'rank', 'created_at', 'created_by', 'claim_number'],
]
const insertText = `insert into tasks (${insertedColumns.join(', ')}) values (${insertedColumns.map(() => '?').join(', ')})`

export const insertTask = (db: Sql, tenantId: string, task: StoredTask, stored = storedDoc(task.doc)): Write[] => {
  const { doc } = task
  const fixed = [
    ...[tenantId, doc.id, doc.projectId, task.number, task.rank],
    ...[Date.parse(doc.createdAt), doc.createdBy.keyId, task.claims.number],
  ]
  const params = [...frequentValues(task, stored), ...rareValues(task), ...fixed]
  return [
    { table: 'tasks', text: insertText, params },
    ...insertLabels(db, tenantId, task),
    ...insertResources(db, tenantId, resourcefulTask(task)),
  ]
}

const updateTextOf = (...columns: string[]): string =>
  `update tasks set ${columns.map((name) => `${name} = ?`).join(', ')} where tenant_id = ? and id = ?`
const placeText = updateTextOf('project_id', 'number', 'rank')
const updateTexts = {
  frequent: updateTextOf(...frequentColumns),
  frequentAndClaims: updateTextOf(...frequentColumns, ...claimColumns),
  all: updateTextOf(...frequentColumns, ...rareColumns),
  allAndClaims: updateTextOf(...frequentColumns, ...rareColumns, ...claimColumns),
}

export const updateTask = (
  db: Sql,
  tenantId: string,
  before: StoredTask,
  after: StoredTask,
  stored = storedDoc(after.doc),
): Write[] => {
  const { doc, claims, counts } = after
  const rare = rareValues(after)
  const isRareSame = rareValues(before).every((value, at) => value === rare[at])
  const isClaimSame = before.claims === claims
  const params = [
    ...frequentValues(after, stored),
    ...(isRareSame ? [] : rare),
    ...(isClaimSame ? [] : claimValues(claims, counts.derived)),
    ...[tenantId, doc.id],
  ]
  const which = `${isRareSame ? 'frequent' : 'all'}${isClaimSame ? '' : 'AndClaims'}` as const
  const isMoved = before.doc.projectId !== doc.projectId
  const areLabelsSame =
    !isMoved && before.assigneeId === after.assigneeId && before.doc.labels.join() === doc.labels.join()
  return [
    { table: 'tasks', text: updateTexts[which], params },
    ...(isMoved
      ? [{ table: 'tasks', text: placeText, params: [doc.projectId, after.number, after.rank, tenantId, doc.id] }]
      : []),
    ...(areLabelsSame ? [] : [...deleteLabels(db, tenantId, before), ...insertLabels(db, tenantId, after)]),
    ...updateResources(db, tenantId, resourcefulTask(before), resourcefulTask(after)),
  ]
}

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

/** Tasks of a project after one, in the order of their creation, also of a project that is hidden. */
export const findProjectTasksAfter = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  after: string | undefined,
  count: number,
): Promise<StoredTask[]> => {
  const isAfter =
    ' and (t.created_at, t.number) > (select a.created_at, a.number from tasks a where a.tenant_id = ? and a.id = ?)'
  const rows = await db.all<TaskRow>(
    `select ${storedColumns} from tasks t
     where t.tenant_id = ? and t.project_id = ?${after === undefined ? '' : isAfter}
     order by t.created_at, t.number limit cast(? as bigint)`,
    [tenantId, projectId, ...(after === undefined ? [] : [tenantId, after]), count],
  )
  return rows.map(storedTaskOf)
}

export const setCommentCounts = (tenantId: string, counts: readonly { taskId: string; count: number }[]): Statement[] =>
  counts.map(({ taskId, count }) => ({
    text: 'update tasks set comment_count = ? where tenant_id = ? and id = ?',
    params: [count, tenantId, taskId],
  }))

export const setQuestionCounts = (
  tenantId: string,
  counts: readonly { taskId: string; count: number }[],
): Statement[] =>
  counts.map(({ taskId, count }) => ({
    text: 'update tasks set open_questions = ? where tenant_id = ? and id = ?',
    params: [count, tenantId, taskId],
  }))

export const setOpenQuestions = (tenantId: string, taskId: string, count: number, derived: number): Statement => ({
  text: 'update tasks set open_questions = ?, derived_count = ? where tenant_id = ? and id = ?',
  params: [count, derived, tenantId, taskId],
})

export const setStale = (tenantId: string, taskId: string, stale: string | null, derived: number): Statement => ({
  text: 'update tasks set stale = ?, derived_count = ? where tenant_id = ? and id = ?',
  params: [stale, derived, tenantId, taskId],
})

/** Queues a look at what tasks that came back relied on. */
export const queueReturned = (db: Sql, tenantId: string, taskIds: readonly string[], dueAtMs: number): Statement => ({
  text: `insert into stale_checks (tenant_id, item_id, dependent, due_at)
         select distinct b.tenant_id, '', b.task_id, cast(? as bigint) from task_basis b
         where b.tenant_id = ? and ${db.dialect.isAmong('b.task_id', 'text')}
         on conflict (tenant_id, item_id, dependent) do update set due_at = excluded.due_at, after = ''`,
  params: [dueAtMs, tenantId, db.dialect.listOf(taskIds)],
})

const labelKey = { label: 'text', created_at: 'bigint', project_id: 'text', number: 'bigint' } as const

/** The entries of the labels of tasks, by their whole keys: no index leads to them from a task. */
const deleteLabelsOf = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<Statement[]> => {
  const labelled = await db.all<{ labels: string; created_at: number; project_id: string; number: number }>(
    `select labels, created_at, project_id, number from tasks
     where tenant_id = ? and ${db.dialect.isAmong('id', 'text')} and labels <> '[]'`,
    [tenantId, db.dialect.listOf(ids)],
  )
  const entries = labelled.flatMap(({ labels, ...key }) =>
    (JSON.parse(labels) as string[]).map((label) => ({ label, ...key })),
  )
  if (entries.length === 0) return []
  const names = Object.keys(labelKey)
  return [
    {
      text: `delete from task_labels where tenant_id = ? and (${names.join(', ')}) in
               (select ${names.map((name) => `given.${name}`).join(', ')} from ${db.dialect.rowsOf(labelKey)})`,
      params: [tenantId, JSON.stringify(entries)],
    },
  ]
}

/** Tasks with all that is kept of them but their comments and questions. */
export const deleteTasks = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const deleteFrom = (table: string, column: string): Statement => ({
    text: `delete from ${table} where tenant_id = ? and ${db.dialect.isAmong(column, 'text')}`,
    params: [tenantId, db.dialect.listOf(ids)],
  })
  await db.runAll([
    deleteFrom('task_links', 'task_id'),
    deleteFrom('task_links', 'other_id'),
    deleteFrom('ready_tasks', 'task_id'),
    ...deleteResources(db, tenantId, ids),
    ...(await deleteLabelsOf(db, tenantId, ids)),
    deleteFrom('tasks', 'id'),
  ])
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

export const countComments = async (db: Sql, tenantId: string, id: string, step: number): Promise<void> => {
  await db.run(
    `update tasks set comment_count = comment_count + ?, derived_count = derived_count + 1
     where tenant_id = ? and id = ?`,
    [step, tenantId, id],
  )
}
