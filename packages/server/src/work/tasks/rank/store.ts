import { type Awaitable, andThen } from '../../../base/awaitable.js'
import type { Sql, Statement } from '../../../db/port.js'

/** Ranks begin as times: so many fit between two milliseconds. */
const ranksPerMs = 1_024
/** What is left between two tasks of the same millisecond. */
export const rankStep = 64

const firstRankOf = (createdAtMs: number): number => createdAtMs * ranksPerMs

/** Raises the last rank of a project to the present time, or a step further; its parameters come first. */
export const raisedRank = `last_rank = case when last_rank < cast(? as bigint) then cast(? as bigint) else last_rank + ${rankStep} end`

export const raisedRankParams = (nowMs: number): number[] => [firstRankOf(nowMs), firstRankOf(nowMs)]

/** A task in the order of its project: by rank, and by number where two have the same. */
export interface RankedTask {
  id: string
  rank: number
  number: number
}

/** Tasks of a project next to a place, the nearest first; one of them is passed over. */
export const findBeside = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  side: 'before' | 'after',
  { rank, number }: Pick<RankedTask, 'rank' | 'number'>,
  exceptId: string,
  count: number,
): Promise<RankedTask[]> => {
  const [comparison, direction] = side === 'before' ? ['<', 'desc'] : ['>', 'asc']
  return db.all(
    `select id, rank, number from tasks
     where tenant_id = ? and project_id = ? and (rank, number) ${comparison} (?, ?) and id <> ?
     order by rank ${direction}, number ${direction} limit cast(? as bigint)`,
    [tenantId, projectId, rank, number, exceptId, count],
  )
}

/** The task that comes first in a project. */
export const findFirst = async (db: Sql, tenantId: string, projectId: string): Promise<RankedTask | undefined> =>
  db.get('select id, rank, number from tasks where tenant_id = ? and project_id = ? order by rank, number limit 1', [
    tenantId,
    projectId,
  ])

/** The rank of a task that was created in its project. */
export const findRank = (db: Sql, tenantId: string, projectId: string, number: number): Awaitable<number | undefined> =>
  andThen(
    db.lookup<{ rank: number }>(
      `select t.rank from tasks t where t.tenant_id = ? and t.project_id = ? and t.id =
         (select p.key from projects p where p.tenant_id = ? and p.id = ?) || '-' || cast(? as text)`,
      [tenantId, projectId, tenantId, projectId, String(number)],
    ),
    (row) => row?.rank,
  )

/** A rank after all others of a project. */
export const takeLast = async (db: Sql, tenantId: string, projectId: string, nowMs: number): Promise<number> => {
  const [taken] = await db.runReturning<{ rank: number }>(
    `update projects set ${raisedRank} where tenant_id = ? and id = ? returning last_rank as rank`,
    [...raisedRankParams(nowMs), tenantId, projectId],
  )
  return taken!.rank
}

/** Lets what is created from now on come after a rank. */
export const raiseLast = (tenantId: string, projectId: string, rank: number): Statement => ({
  text: 'update projects set last_rank = ? where tenant_id = ? and id = ? and last_rank < ?',
  params: [rank, tenantId, projectId, rank],
})

/** Gives a task a rank: it shows another one, in the same version. */
export const setRank = (tenantId: string, { id, rank }: Pick<RankedTask, 'id' | 'rank'>): Statement[] => [
  {
    text: 'update tasks set rank = ?, derived_count = derived_count + 1 where tenant_id = ? and id = ?',
    params: [rank, tenantId, id],
  },
  {
    text: 'update ready_tasks set rank = ? where tenant_id = ? and task_id = ?',
    params: [rank, tenantId, id],
  },
]
