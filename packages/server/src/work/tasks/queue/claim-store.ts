import { type Awaitable, andThen } from '../../../base/awaitable.js'
import type { Sql, Statement, Value } from '../../../db/port.js'
import { isVisibleProject, ofVisibleProject } from '../../../db/project-conditions.js'
import type { ClaimState } from '../claims/rules.js'

/** The columns of a task's claims; a live one is also found by its key and its end. */
export const claimColumns = [
  'claim_number',
  'claim',
  'claim_key_id',
  'claim_expires_at',
  'claim_lease_ms',
  'expired_claim',
  'derived_count',
]

export const claimValues = ({ number, current, leaseMs, expired }: ClaimState, derived: number): Value[] => [
  number,
  current && JSON.stringify(current),
  current?.keyId ?? null,
  current && Date.parse(current.expiresAt),
  leaseMs,
  expired && JSON.stringify(expired),
  derived,
]

const updateText = `update tasks set ${claimColumns.map((name) => `${name} = ?`).join(', ')}
  where tenant_id = ? and id = ?`

export const updateClaims = (tenantId: string, taskId: string, claims: ClaimState, derived: number): Statement => ({
  text: updateText,
  params: [...claimValues(claims, derived), tenantId, taskId],
})

/** Stores the renewal of a claim, unless the claim ended or the renewal was stored with a change of the task. */
export const renewLiveClaim = (tenantId: string, taskId: string, { number, current }: ClaimState): Statement => {
  const expiresAtMs = Date.parse(current!.expiresAt)
  return {
    text: `update tasks set claim = ?, claim_expires_at = ?, derived_count = derived_count + 1
      where tenant_id = ? and id = ? and claim_number = ? and claim_expires_at <> ?`,
    params: [JSON.stringify(current), expiresAtMs, tenantId, taskId, number, expiresAtMs],
  }
}

const heldStatement = `select project_id from tasks
  where tenant_id = ? and id = ? and claim_number = ? and claim_key_id = ? and claim_expires_at > ?
    and ${isVisibleProject('tasks.project_id')}`

/** The project of a claim of a task, by its number, that is live and held by a key. */
export const projectOfHeldClaim = (
  db: Sql,
  tenantId: string,
  claim: { taskId: string; number: number; keyId: string },
  nowMs: number,
): Awaitable<string | undefined> =>
  andThen(
    db.lookup<{ project_id: string }>(heldStatement, [tenantId, claim.taskId, claim.number, claim.keyId, nowMs]),
    (row) => row?.project_id,
  )

/** Finds the tasks whose claim, live or not, belongs to a key. */
export const taskIdsClaimedBy = async (db: Sql, tenantId: string, keyId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    `select id from tasks where tenant_id = ? and claim_key_id = ? and ${ofVisibleProject('tasks')}`,
    [tenantId, keyId],
  )
  return rows.map(({ id }) => id)
}

/** Finds tasks whose claim has expired or that are due to enter the queue, the earliest first. */
export const dueTaskIds = async (
  db: Sql,
  tenantId: string,
  nowMs: number,
  count: number,
): Promise<{ lapsed: string[]; waking: string[] }> => {
  const params = [tenantId, nowMs, count]
  const [lapsed, waking] = await Promise.all([
    db.all<{ id: string }>(
      `select id from tasks where tenant_id = ? and claim_expires_at <= ? and ${ofVisibleProject('tasks')}
       order by claim_expires_at limit cast(? as bigint)`,
      params,
    ),
    db.all<{ id: string }>(
      `select id from tasks where tenant_id = ? and wake_at <= ? and ${ofVisibleProject('tasks')}
       order by wake_at limit cast(? as bigint)`,
      params,
    ),
  ])
  return { lapsed: lapsed.map(({ id }) => id), waking: waking.map(({ id }) => id) }
}

/** When the next claim ends or the next task is to be queued. */
export const nextDueMs = (db: Sql, tenantId: string): Awaitable<number | null> => {
  const row = db.get<{ ends: number | null; wakes: number | null }>(
    `select (select min(claim_expires_at) from tasks where tenant_id = ? and claim_expires_at is not null
               and ${ofVisibleProject('tasks')}) as ends,
            (select min(wake_at) from tasks where tenant_id = ? and wake_at is not null
               and ${ofVisibleProject('tasks')}) as wakes`,
    [tenantId, tenantId],
  )
  return andThen(row, (row) => {
    const times = [row?.ends, row?.wakes].filter((ms) => typeof ms === 'number')
    return times.length === 0 ? null : Math.min(...times)
  })
}

export const clearWakeUp = (tenantId: string, taskIds: readonly string[], db: Sql): Statement => ({
  text: `update tasks set wake_at = null where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`,
  params: [tenantId, db.dialect.listOf(taskIds)],
})

/** Lets the claims of all tasks go on counting further up. */
export const raiseClaimNumbers = async (db: Sql, tenantId: string, step: number): Promise<void> => {
  await db.run('update tasks set claim_number = claim_number + ?, expired_claim = null where tenant_id = ?', [
    step,
    tenantId,
  ])
}

export const claimedTaskIds = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    `select id from tasks where tenant_id = ? and claim_expires_at is not null and ${ofVisibleProject('tasks')}`,
    [tenantId],
  )
  return rows.map(({ id }) => id)
}

/** Finds the claimed tasks of a project, deleted or not. */
export const taskIdsClaimedIn = async (db: Sql, tenantId: string, projectId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    'select id from tasks where tenant_id = ? and claim_key_id is not null and project_id = ?',
    [tenantId, projectId],
  )
  return rows.map(({ id }) => id)
}
