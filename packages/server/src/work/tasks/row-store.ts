import { insertRows } from '../../db/given-rows.js'
import type { Sql, Statement, Value } from '../../db/port.js'
import { flagsOf, noWork } from './checks/rules.js'
import { priorities } from './fields.js'
import { openCard, type StoredDoc, storedDoc } from './json-store.js'
import { claimColumns, claimValues } from './queue/claim-store.js'
import { deleteResources, insertResources, updateResources } from './resources/store.js'
import { resourcefulTask, type StoredTask } from './stored-task.js'

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

/** The entries of a task's labels, by their whole key. */
const deleteLabels = (
  db: Sql,
  tenantId: string,
  { doc: { labels, createdAt, projectId }, number }: StoredTask,
): Statement[] =>
  labels.length === 0
    ? []
    : [
        {
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

const insertLabels = (db: Sql, tenantId: string, { doc, assigneeId, number }: StoredTask): Statement[] => {
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

const insertedColumns = [
  ...frequentColumns,
  ...rareColumns,
  ...['tenant_id', 'id', 'project_id', 'number', 'rank', 'created_at', 'created_by', 'claim_number'],
]
const insertText = `insert into tasks (${insertedColumns.join(', ')}) values (${insertedColumns.map(() => '?').join(', ')})`

export const insertTask = (db: Sql, tenantId: string, task: StoredTask, stored = storedDoc(task.doc)): Statement[] => {
  const { doc } = task
  const fixed = [
    ...[tenantId, doc.id, doc.projectId, task.number, task.rank],
    ...[Date.parse(doc.createdAt), doc.createdBy.keyId, task.claims.number],
  ]
  const params = [...frequentValues(task, stored), ...rareValues(task), ...fixed]
  return [
    { text: insertText, params },
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
): Statement[] => {
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
    { text: updateTexts[which], params },
    ...(isMoved ? [{ text: placeText, params: [doc.projectId, after.number, after.rank, tenantId, doc.id] }] : []),
    ...(areLabelsSame ? [] : [...deleteLabels(db, tenantId, before), ...insertLabels(db, tenantId, after)]),
    ...updateResources(db, tenantId, resourcefulTask(before), resourcefulTask(after)),
  ]
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

export const setStale = (tenantId: string, { doc, stale, counts }: StoredTask): Statement => ({
  text: 'update tasks set stale = ?, derived_count = ? where tenant_id = ? and id = ?',
  params: [stale, counts.derived, tenantId, doc.id],
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

export const countComments = async (db: Sql, tenantId: string, id: string, step: number): Promise<void> => {
  await db.run(
    `update tasks set comment_count = comment_count + ?, derived_count = derived_count + 1
     where tenant_id = ? and id = ?`,
    [step, tenantId, id],
  )
}
