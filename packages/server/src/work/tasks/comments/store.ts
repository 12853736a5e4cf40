import type { Json } from '../../../base/json.js'
import type { Sql, Statement } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/project-conditions.js'
import type { Comment } from './schema.js'

export interface CommentPosition {
  createdAtMs: number
  id: string
}

export const findComment = async (
  db: Sql,
  tenantId: string,
  taskId: string,
  id: string,
): Promise<Comment | undefined> => {
  const row = await db.get<{ doc: string }>('select doc from comments where tenant_id = ? and task_id = ? and id = ?', [
    tenantId,
    taskId,
    id,
  ])
  return row && (JSON.parse(row.doc) as Comment)
}

/** Comments of a task, the oldest first. */
export const listComments = async (
  db: Sql,
  tenantId: string,
  taskId: string,
  after: CommentPosition | undefined,
  count: number,
): Promise<{ created_at: number; id: string; doc: Json<Comment> }[]> => {
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  return db.all(
    `select created_at, id, doc from comments where tenant_id = ? and task_id = ?${from}
     order by created_at, id limit cast(? as bigint)`,
    [tenantId, taskId, ...(after ? [after.createdAtMs, after.id] : []), count],
  )
}

/** Comments of a task from one on, the newest first. */
export const listNewestComments = async (
  db: Sql,
  tenantId: string,
  taskId: string,
  from: CommentPosition | undefined,
  count: number,
): Promise<Json<Comment>[]> => {
  const rest = from ? ' and (created_at, id) <= (?, ?)' : ''
  const rows = await db.all<{ doc: Json<Comment> }>(
    `select doc from comments where tenant_id = ? and task_id = ?${rest}
     order by created_at desc, id desc limit cast(? as bigint)`,
    [tenantId, taskId, ...(from ? [from.createdAtMs, from.id] : []), count],
  )
  return rows.map(({ doc }) => doc)
}

export const insertComment = async (db: Sql, tenantId: string, projectId: string, comment: Comment): Promise<void> => {
  const [createdAtMs, updatedAtMs] = [Date.parse(comment.createdAt), Date.parse(comment.updatedAt)]
  await db.run(
    `insert into comments (tenant_id, task_id, id, project_id, created_at, updated_at, key_id, version, doc)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[tenantId, comment.taskId, comment.id, projectId, createdAtMs, updatedAtMs],
      ...[comment.createdBy.keyId, comment.version, JSON.stringify(comment)],
    ],
  )
}

export const updateComment = async (db: Sql, tenantId: string, comment: Comment): Promise<void> => {
  await db.run(
    'update comments set version = ?, updated_at = ?, doc = ? where tenant_id = ? and task_id = ? and id = ?',
    [
      ...[comment.version, Date.parse(comment.updatedAt), JSON.stringify(comment)],
      ...[tenantId, comment.taskId, comment.id],
    ],
  )
}

export const deleteComment = async (db: Sql, tenantId: string, taskId: string, id: string): Promise<void> => {
  await db.run('delete from comments where tenant_id = ? and task_id = ? and id = ?', [tenantId, taskId, id])
}

export interface TaskComments {
  taskId: string
  count: number
}

export const countByTask = async (db: Sql, tenantId: string, taskIds: readonly string[]): Promise<TaskComments[]> =>
  db.all(
    `select task_id as "taskId", cast(count(*) as bigint) as count
     from comments where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')} group by task_id`,
    [tenantId, db.dialect.listOf(taskIds)],
  )

/** Takes some comments of a project away. */
export const deleteProjectComments = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  count: number,
): Promise<Comment[]> => {
  const rows = await db.all<{ id: string; doc: string }>(
    'select id, doc from comments where tenant_id = ? and project_id = ? limit cast(? as bigint)',
    [tenantId, projectId, count],
  )
  if (rows.length > 0) {
    const ids = db.dialect.listOf(rows.map(({ id }) => id))
    await db.run(
      `delete from comments where tenant_id = ? and project_id = ? and ${db.dialect.isAmong('id', 'text')}`,
      [...[tenantId, projectId, ids]],
    )
  }
  return rows.map(({ doc }) => JSON.parse(doc) as Comment)
}

/** Comments go with their tasks to another project. */
export const moveComments = (db: Sql, tenantId: string, taskIds: readonly string[], projectId: string): Statement => ({
  text: `update comments set project_id = ? where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}`,
  params: [projectId, tenantId, db.dialect.listOf(taskIds)],
})

/** Removes some comments of a task for good; answers how many bytes each had. */
export const deleteTaskComments = async (
  db: Sql,
  tenantId: string,
  taskId: string,
  count: number,
): Promise<number[]> => {
  const rows = await db.all<{ id: string; bytes: number }>(
    'select id, octet_length(doc) as bytes from comments where tenant_id = ? and task_id = ? limit cast(? as bigint)',
    [tenantId, taskId, count],
  )
  if (rows.length > 0) {
    await db.run(`delete from comments where tenant_id = ? and task_id = ? and ${db.dialect.isAmong('id', 'text')}`, [
      ...[tenantId, taskId, db.dialect.listOf(rows.map(({ id }) => id))],
    ])
  }
  return rows.map(({ bytes }) => bytes)
}

/** Comments of tasks, the oldest of each first. */
export const findBodies = async (
  db: Sql,
  tenantId: string,
  taskIds: readonly string[],
): Promise<{ task_id: string; doc: string }[]> =>
  db.all(
    `select task_id, doc from comments where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}
     order by task_id, created_at, id`,
    [tenantId, db.dialect.listOf(taskIds)],
  )

/** Returns the next tasks with comments, in ID order; with `projectId`, only tasks of that project. */
export const commentedTaskIds = async (
  db: Sql,
  tenantId: string,
  after: string,
  count: number,
  projectId?: string,
): Promise<string[]> => {
  const ofProject = projectId === undefined ? '' : ' and project_id = ?'
  const rows = await db.all<{ task_id: string }>(
    `select distinct task_id from comments where tenant_id = ? and task_id > ?${ofProject}
       and ${ofVisibleProject('comments')} order by task_id limit cast(? as bigint)`,
    [tenantId, after, ...(projectId === undefined ? [] : [projectId]), count],
  )
  return rows.map(({ task_id }) => task_id)
}

export const hasComments = async (db: Sql, tenantId: string): Promise<boolean> =>
  (await db.lookup('select 1 as one from comments where tenant_id = ? limit 1', [tenantId])) !== undefined
