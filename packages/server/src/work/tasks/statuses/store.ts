import type { Sql } from '../../../db/port.js'

/** How many tasks of a project have each status that some have. Both statements read nothing but an index. */
export const countByStatus = async (
  db: Sql,
  tenantId: string,
  projectId: string,
): Promise<{ category: string; customStatus: string | null; count: number }[]> => {
  const custom = await db.all<{ category: string; customStatus: string; count: number }>(
    `select status as category, custom_status as "customStatus", count(*) as count from tasks
     where tenant_id = ? and project_id = ? and custom_status is not null group by custom_status, status`,
    [tenantId, projectId],
  )
  const all = await db.all<{ category: string; count: number }>(
    'select status as category, count(*) as count from tasks where tenant_id = ? and project_id = ? group by status',
    [tenantId, projectId],
  )
  const builtIn = all.map(({ category, count }) => {
    const others = custom.filter((one) => one.category === category).reduce((sum, one) => sum + one.count, 0)
    return { category, customStatus: null, count: count - others }
  })
  return [...custom, ...builtIn].filter(({ count }) => count > 0)
}
