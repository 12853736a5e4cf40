import type { Sql } from '../../db/port.js'
import { projectColumn } from '../../db/project-conditions.js'
import { raisedRank, raisedRankParams } from './rank/store.js'

/** What a new task gets from its project, and its assignee as tasks show them, null where there is no such user. */
interface TaskNumber {
  projectId: string
  projectKey: string
  number: number
  rank: number
  claimBase: number
  /** As JSON. */
  defaultChecks: string
  /** As JSON; null for the built-in ones. */
  statuses: string | null
  assignee: string | null
}

/** Without an assignee it is another statement: PostgreSQL would plan one that may be given none anew each time. */
const assigneeOf = (assigneeId: string | null): [text: string, params: string[]] =>
  assigneeId === null
    ? ['null', []]
    : ['(select assignee_doc from users where users.tenant_id = :tenant and users.id = ?)', [assigneeId]]

/** Takes the next task number of a project, and its last rank. Finds the assignee too, which would take another statement. */
export const takeNumber = async (
  db: Sql,
  tenantId: string,
  projectRef: string,
  assigneeId: string | null,
  nowMs: number,
): Promise<TaskNumber | undefined> => {
  const [assignee, ofAssignee] = assigneeOf(assigneeId)
  const [taken] = await db.runReturning<TaskNumber>(
    `update projects set last_number = last_number + 1, ${raisedRank} where tenant_id = ? and ${projectColumn(projectRef)} = ?
       and deleting_at is null
     returning id as "projectId", key as "projectKey", last_number as number, last_rank as rank, claim_base as "claimBase",
       default_checks as "defaultChecks", statuses, ${assignee} as assignee`,
    [...raisedRankParams(nowMs), tenantId, projectRef, ...ofAssignee],
  )
  return taken
}
