import { forTenant } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'

/** A task and a blocker of it, one of which is in a deleted project. */
export interface SeveredLink {
  taskId: string
  blockerId: string
}

/** Finds up to `count` blocker links between some tasks of a project and tasks of other projects. */
export const findCrossing = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  ids: readonly string[],
  count: number,
): Promise<SeveredLink[]> => {
  const { isAmong, joinByKey, listOf } = db.dialect
  const linksBy = (own: string, other: string): string =>
    `select l.task_id as "taskId", l.other_id as "blockerId"
     from task_links l ${joinByKey('tasks', 't', { tenant_id: ':tenant', id: `l.${other}` })}
     where l.tenant_id = ? and ${isAmong(`l.${own}`, 'text')} and l.kind = 'blocker' and t.project_id <> ?`
  const params = [tenantId, listOf(ids), projectId]
  return db.all(
    `${linksBy('task_id', 'other_id')} union all ${linksBy('other_id', 'task_id')} limit cast(? as bigint)`,
    [...params, ...params, count],
  )
}

const columns = { task_id: 'text', blocker_id: 'text' } as const

/** Saves links for the restore of a deleted project. */
export const insertSevered = (
  db: Sql,
  tenantId: string,
  projectId: string,
  links: readonly SeveredLink[],
): Statement => ({
  text: `insert into severed_links (tenant_id, project_id, task_id, blocker_id)
         select t.tenant_id, cast(? as text), given.task_id, given.blocker_id
         from ${forTenant(db.dialect.rowsOf(columns))}
         on conflict (tenant_id, project_id, task_id, blocker_id) do nothing`,
  params: [
    projectId,
    JSON.stringify(links.map(({ taskId, blockerId }) => ({ task_id: taskId, blocker_id: blockerId }))),
    tenantId,
  ],
})

/** Returns up to `count` of the links that were saved for a project. */
export const listSevered = (
  db: Sql,
  tenantId: string,
  projectId: string,
  count: number,
): Promise<SeveredLink[]> | SeveredLink[] =>
  db.all(
    `select task_id as "taskId", blocker_id as "blockerId" from severed_links
     where tenant_id = ? and project_id = ? order by task_id, blocker_id limit cast(? as bigint)`,
    [tenantId, projectId, count],
  )

export const deleteSevered = (tenantId: string, projectId: string, links: readonly SeveredLink[]): Statement[] =>
  links.map(({ taskId, blockerId }) => ({
    text: 'delete from severed_links where tenant_id = ? and project_id = ? and task_id = ? and blocker_id = ?',
    params: [tenantId, projectId, taskId, blockerId],
  }))
