import { insertRows } from '../../db/given-rows.js'
import type { Sql, Statement, Value } from '../../db/port.js'
import { noWork } from './checks/rules.js'
import { taskRecord } from './fields.js'
import { openCard, type StoredDoc, storedDoc } from './json-store.js'
import { claimColumns, claimValues } from './queue/claim-store.js'
import { deleteResources, insertResources, updateResources } from './resources/store.js'
import { resourcefulTask, type StoredTask } from './stored-task.js'

const { insert, update } = taskRecord.row

/**
 * Most changes set only the frequent columns, because SQLite rewrites the index entries of every column that is set,
 * even to the same value.
 */
const [frequent, rare] = update.split('statusCategory', 'updatedAt', 'version', 'attempts', 'notBefore')

/** Columns that most changes set and that `taskRecord` does not describe. */
const stateColumns = ['custom_status', 'doc', 'card', 'wake_at', 'open_blockers', 'blocked_ancestors', 'work_record']
const stateValues = ({ doc, counts, work, wakeAtMs }: StoredTask, stored: StoredDoc): Value[] => [
  doc.status === doc.statusCategory ? null : doc.status,
  ...[stored, openCard(doc), wakeAtMs, counts.openBlockers, counts.blockedAncestors],
  work === noWork ? null : JSON.stringify(work),
]

const rareValues = ({ doc, assigneeId, counts }: StoredTask): Value[] => [
  ...rare.values(doc),
  ...[assigneeId, counts.openQuestions],
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

const insertText = `insert into tasks (tenant_id, number, rank, claim_number, assignee_id, open_questions,
    ${stateColumns.join(', ')}, ${insert.columns})
  values (?, ?, ?, ?, ?, ?, ${stateColumns.map(() => '?').join(', ')}, ${insert.marks})`

export const insertTask = (db: Sql, tenantId: string, task: StoredTask, stored = storedDoc(task.doc)): Statement[] => {
  const { doc, assigneeId, claims, counts, number, rank } = task
  const params = [
    ...[tenantId, number, rank, claims.number, assigneeId, counts.openQuestions],
    ...stateValues(task, stored),
    ...insert.values(doc),
  ]
  return [
    { text: insertText, params },
    ...insertLabels(db, tenantId, task),
    ...insertResources(db, tenantId, resourcefulTask(task)),
  ]
}

const assign = (columns: readonly string[]): string => columns.map((name) => `${name} = ?`).join(', ')

const updateTextOf = (...assignments: string[]): string =>
  `update tasks set ${assignments.join(', ')} where tenant_id = ? and id = ?`
const placeText = updateTextOf(assign(['project_id', 'number', 'rank']))
const frequentText = `${frequent.assignments}, ${assign(stateColumns)}`
const rareText = `${rare.assignments}, ${assign(['assignee_id', 'open_questions'])}`
const claimText = assign(claimColumns)
const updateTexts = {
  frequent: updateTextOf(frequentText),
  frequentAndClaims: updateTextOf(frequentText, claimText),
  all: updateTextOf(frequentText, rareText),
  allAndClaims: updateTextOf(frequentText, rareText, claimText),
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
    ...frequent.values(doc),
    ...stateValues(after, stored),
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

export const setStale = (tenantId: string, { doc, stale }: StoredTask): Statement => ({
  text: 'update tasks set stale = ? where tenant_id = ? and id = ?',
  params: [stale, tenantId, doc.id],
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
