import type { ProjectSet } from '../../../base/project-set.js'
import type { Sql } from '../../../db/port.js'
import { inProjects, ofRunningProject, ofVisibleProject } from '../../../db/project-conditions.js'
import { hasOneOfLabels, valuesOf } from '../lists/condition-store.js'
import { obstacleCases, type ShownObstacle } from './readiness-store.js'

/** The first reason that applies why a task cannot be claimed. */
export type UnreadyReason = ShownObstacle | 'own' | 'paused' | 'reserved' | 'working'

export interface UnreadyCount {
  /** `other` are tasks that were looked at, but are closed or do not match. */
  reason: UnreadyReason | 'other'
  count: number
  /** When the first of them may be begun, of those that are too early. */
  firstMs: number | null
}

/** Whose tasks are counted, and when. */
interface UnreadyFilter {
  projectIds: ProjectSet
  labels: readonly string[] | null
  priorities: readonly number[] | null
  parentId: string | null
  keyId: string
  userId: string | null
  nowMs: number
}

/** So many tasks are looked at for each status, for the labels or for the parent, whatever the number of tasks. */
export const maxUnreadyLookedAt = 1_000

/** Counts open tasks by why they are not handed out, where none is. */
export const countUnready = async (
  db: Sql,
  tenantId: string,
  { projectIds, labels, priorities, parentId, keyId, userId, nowMs }: UnreadyFilter,
): Promise<UnreadyCount[]> => {
  const { isAmong, listOf } = db.dialect
  const ofProjects = (table: string): string => inProjects(db.dialect, `${table}.project_id`, projectIds)[0]
  const [, projects] = inProjects(db.dialect, 'project_id', projectIds)
  const ofStatus = (status: string): string =>
    `select * from (select s.id from tasks s where s.tenant_id = ? and s.status = '${status}'${ofProjects('s')}
      limit ${maxUnreadyLookedAt}) ${status}`

  const found = (): [text: string, params: string[]] => {
    if (parentId !== null) {
      const text = `select s.id from tasks s where s.tenant_id = ? and s.parent_id = ?${ofProjects('s')}`
      return [`${text} limit ${maxUnreadyLookedAt}`, [tenantId, parentId, ...projects]]
    }
    if (labels) {
      const text = `select distinct l.task_id as id from task_labels l
        where l.tenant_id = ? and ${isAmong('l.label', 'text')}${ofProjects('l')}`
      return [`${text} limit ${maxUnreadyLookedAt}`, [tenantId, listOf(labels), ...projects]]
    }
    return [`${ofStatus('todo')} union all ${ofStatus('in_progress')}`, [tenantId, ...projects, tenantId, ...projects]]
  }

  const obstacles = obstacleCases({ userId, viewedProjectIds: [], atMs: nowMs, areResourcesReserved: false })
  const [ids, idParams] = found()
  const optional = (condition: string): string => `(cast(? as bigint) is null or ${condition})`
  const given = (values: readonly (string | number)[] | null) => (values ? [1, listOf(values)] : [null, null])
  const rows = await db.all<{ reason: UnreadyCount['reason']; count: number; first: number | null }>(
    `select reason, count(*) as count, min(early_until) as first from (
       select t.not_before as early_until, case
         when t.status not in ('todo', 'in_progress') or not ${optional(isAmong('t.priority', 'bigint'))}
           or not ${optional(hasOneOfLabels([]).text(db.dialect))} then 'other'
         when coalesce(t.claim_expires_at, 0) > ? and t.claim_key_id = ? then 'own'
         ${obstacles.text(db.dialect)}
         when not ${ofRunningProject('t')} then 'paused'
         when t.status = 'todo' then 'reserved'
         else 'working' end as reason
       from (${ids}) found join tasks t on t.tenant_id = :tenant and t.id = found.id
       where ${ofVisibleProject('t')}) reasons
     group by reason`,
    [
      ...given(priorities),
      ...given(parentId === null ? null : labels),
      ...[nowMs, keyId],
      ...valuesOf(db.dialect, [obstacles]),
      ...idParams,
    ],
  )
  return rows.map(({ reason, count, first }) => ({ reason, count, firstMs: reason === 'early' ? first : null }))
}
