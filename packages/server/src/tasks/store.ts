import type { Awaitable } from '../awaitable.js'
import type { Sql, Statement } from '../db/port.js'
import { placeholders } from '../paging.js'
import { priorities, type Task } from './schema.js'

/** A task as it is kept: without its assignee, which is read from the user. */
export type TaskDoc = Omit<Task, 'assignee'>

export interface StoredTask {
  id: string
  version: number
  assigneeId: string | null
  doc: TaskDoc
  /** The whole answer. */
  json: string
}

interface TaskRow {
  id: string
  version: number
  assignee_id: string | null
  doc: string
  json: string
}

/** The answer of a task `t` whose assignee is `u`, with more fields. The brackets let the long text be copied once. */
const taskJsonWith = (...more: string[]): string =>
  `t.doc || (${[`',"assignee":'`, `coalesce(u.assignee_doc, 'null')`, ...more, `'}'`].join(' || ')})`
export const taskJson = taskJsonWith()
export const withAssignee = 'left join users u on u.tenant_id = t.tenant_id and u.id = t.assignee_id'

const openDoc = (doc: TaskDoc): string => JSON.stringify(doc).slice(0, -1)

const taskStatement = `select t.version, t.project_id, ${taskJson} as json from tasks t ${withAssignee}
  where t.tenant_id = ? and t.id = ?`

export const findTaskJson = (
  db: Sql,
  tenantId: string,
  id: string,
): Awaitable<{ json: string; version: number; project_id: string } | undefined> => db.get(taskStatement, [tenantId, id])

export interface WantedTask {
  id: string
  /** Further fields of its answer: JSON that begins with a comma. */
  more: string
}

/** These tasks in this order, as JSON with a comma between them; those that are gone are passed over. */
export const findTasksJson = async (db: Sql, tenantId: string, wanted: readonly WantedTask[]): Promise<string> => {
  const given = wanted.map(({ id, more }, place) => ({ id, more, place }))
  const found = await db.get<{ tasks: string | null }>(
    `select ${db.dialect.joined('json', ',')} as tasks from (
       select ${taskJsonWith('given.more')} as json
       from ${db.dialect.rowsOf({ id: 'text', more: 'text', place: 'bigint' })} cross join tasks t ${withAssignee}
       where t.tenant_id = ? and t.id = given.id order by given.place) page`,
    [JSON.stringify(given), tenantId],
  )
  return found?.tasks ?? ''
}

/** Reads a task to change it. Its row is locked first, so that what is read is what the last change left. */
export const lockTask = async (db: Sql, tenantId: string, id: string): Promise<StoredTask | undefined> => {
  const [, row] = await Promise.all([
    db.dialect.forUpdate &&
      db.get(`select id from tasks where tenant_id = ? and id = ?${db.dialect.forUpdate}`, [tenantId, id]),
    db.get<TaskRow>(
      `select t.id, t.version, t.assignee_id, t.doc, ${taskJson} as json from tasks t ${withAssignee}
       where t.tenant_id = ? and t.id = ?`,
      [tenantId, id],
    ),
  ])
  return (
    row && { id, version: row.version, assigneeId: row.assignee_id, doc: JSON.parse(`${row.doc}}`), json: row.json }
  )
}

const indexedColumns = (doc: TaskDoc, assigneeId: string | null) => [
  doc.status,
  priorities.indexOf(doc.priority),
  assigneeId,
  doc.dueDate === null ? null : Date.parse(doc.dueDate),
  Date.parse(doc.updatedAt),
  doc.version,
  openDoc(doc),
]

const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))

/** The entries of a task's labels, by their whole key. */
const deleteLabels = (tenantId: string, { labels, createdAt, projectId, id }: TaskDoc): Statement[] =>
  labels.length === 0
    ? []
    : [
        {
          text: `delete from task_labels where tenant_id = ? and label in (${placeholders(labels)})
                 and created_at = ? and project_id = ? and number = ?`,
          params: [tenantId, ...labels, Date.parse(createdAt), projectId, numberOf(id)],
        },
      ]

const insertLabels = (tenantId: string, doc: TaskDoc, assigneeId: string | null): Statement[] => {
  const { labels, createdAt, projectId, id } = doc
  if (labels.length === 0) return []
  const rows = labels.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')
  const createdAtMs = Date.parse(createdAt)
  const params = labels.flatMap((label) => [tenantId, label, createdAtMs, projectId, numberOf(id), id, assigneeId])
  return [
    {
      text: `insert into task_labels (tenant_id, label, created_at, project_id, number, task_id, assignee_id)
             values ${rows}`,
      params,
    },
  ]
}

export const insertTask = async (db: Sql, tenantId: string, doc: TaskDoc, assigneeId: string | null): Promise<void> => {
  await db.runAll([
    {
      text: `insert into tasks (status, priority, assignee_id, due_at, updated_at, version, doc,
                                tenant_id, id, project_id, number, created_at)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [
        ...indexedColumns(doc, assigneeId),
        ...[tenantId, doc.id, doc.projectId, numberOf(doc.id), Date.parse(doc.createdAt)],
      ],
    },
    ...insertLabels(tenantId, doc, assigneeId),
  ])
}

export const updateTask = async (
  db: Sql,
  tenantId: string,
  before: StoredTask,
  doc: TaskDoc,
  assigneeId: string | null,
  areLabelsChanged: boolean,
): Promise<void> => {
  const areEntriesChanged = areLabelsChanged || assigneeId !== before.assigneeId
  await db.runAll([
    {
      text: `update tasks set status = ?, priority = ?, assignee_id = ?, due_at = ?, updated_at = ?, version = ?, doc = ?
             where tenant_id = ? and id = ?`,
      params: [...indexedColumns(doc, assigneeId), tenantId, doc.id],
    },
    ...(areEntriesChanged ? [...deleteLabels(tenantId, before.doc), ...insertLabels(tenantId, doc, assigneeId)] : []),
  ])
}

export const deleteTask = async (db: Sql, tenantId: string, { id, doc }: StoredTask): Promise<void> => {
  await db.runAll([
    ...deleteLabels(tenantId, doc),
    { text: 'delete from tasks where tenant_id = ? and id = ?', params: [tenantId, id] },
  ])
}

export const hasProjectTasks = async (db: Sql, tenantId: string, projectId: string): Promise<boolean> =>
  (await db.get('select 1 as found from tasks where tenant_id = ? and project_id = ? limit 1', [
    tenantId,
    projectId,
  ])) !== undefined

export const deleteProjectTasks = async (db: Sql, tenantId: string, projectId: string): Promise<void> => {
  await db.runAll([
    { text: 'delete from task_labels where tenant_id = ? and project_id = ?', params: [tenantId, projectId] },
    { text: 'delete from tasks where tenant_id = ? and project_id = ?', params: [tenantId, projectId] },
  ])
}

export const taskIdsAssignedTo = async (db: Sql, tenantId: string, userId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>('select id from tasks where tenant_id = ? and assignee_id = ?', [
    tenantId,
    userId,
  ])
  return rows.map(({ id }) => id)
}
