import type { Sql } from '../../../db/port.js'

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

/** Tasks that have comments, after one, in the order of their ids. */
export const commentedTaskIds = async (db: Sql, tenantId: string, after: string, count: number): Promise<string[]> => {
  const rows = await db.all<{ task_id: string }>(
    'select distinct task_id from comments where tenant_id = ? and task_id > ? order by task_id limit cast(? as bigint)',
    [tenantId, after, count],
  )
  return rows.map(({ task_id }) => task_id)
}

export const hasComments = async (db: Sql, tenantId: string): Promise<boolean> =>
  (await db.lookup('select 1 as one from comments where tenant_id = ? limit 1', [tenantId])) !== undefined
