import { statementOn } from '../../../db/given-rows.js'
import type { Sql } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/project-conditions.js'
import type { StoredDoc } from '../json-store.js'

export interface SearchedTask {
  id: string
  project_id: string
  status: string
  custom_status: string | null
  priority: number
  assignee_id: string | null
  due_at: number | null
  updated_at: number
  doc: StoredDoc
}

interface TaskName {
  subject: string
  changed_at: number
}

const columns =
  't.id, t.project_id, t.status, t.custom_status, t.priority, t.assignee_id, t.due_at, t.updated_at, t.doc'

// A cross join keeps SQLite to this order: a look-up for each row given, never a reading of the whole table.
export const findTasks = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
  { areHiddenWanted = false } = {},
): Promise<SearchedTask[]> => {
  const rows = ids.map((id) => ({ id }))
  const { text, params } = statementOn(
    db,
    areHiddenWanted ? 'tasks to embed' : 'tasks to search',
    { id: 'text' },
    rows,
    (given) => `select ${columns} from ${given} cross join tasks t where t.tenant_id = ? and t.id = given.id
        ${areHiddenWanted ? '' : `and ${ofVisibleProject('t')}`}`,
  )
  return db.all(text, [...params, tenantId])
}

/** Returns the next tasks after an ID, in ID order; with `projectId`, only tasks of that project. */
export const listTasksAfter = async (
  db: Sql,
  tenantId: string,
  id: string,
  count: number,
  projectId?: string,
): Promise<SearchedTask[]> =>
  db.all(
    `select ${columns} from tasks t where t.tenant_id = ? and t.id > ?${projectId === undefined ? '' : ' and t.project_id = ?'}
       and ${ofVisibleProject('t')} order by t.id limit cast(? as bigint)`,
    [tenantId, id, ...(projectId === undefined ? [] : [projectId]), count],
  )

export const listTaskNamesAfter = async (db: Sql, tenantId: string, id: string, count: number): Promise<TaskName[]> =>
  db.all(
    `select id as subject, updated_at as changed_at from tasks
     where tenant_id = ? and id > ? and ${ofVisibleProject('tasks')} order by id limit cast(? as bigint)`,
    [tenantId, id, count],
  )
