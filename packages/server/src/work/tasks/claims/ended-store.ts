import type { Sql, Statement, Value } from '../../../db/port.js'
import type { Actor } from '../../../operations/actor.js'
import type { StoredTask } from '../stored-task.js'
import { endOfClaim, finishedOutcomes } from './ended.js'
import { numberOfToken } from './rules.js'

const insertText = `insert into ended_claims
    (tenant_id, task_id, number, key_id, worker, project_id, claimed_at, ended_at, outcome, closed_by, seen_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (tenant_id, task_id, number) do update set ${['ended_at', 'outcome', 'closed_by', 'seen_at']
    // A claim that ended with its project keeps its row, because restoring the project ends the claim again.
    .map(
      (name) =>
        `${name} = case ended_claims.outcome when 'deleted' then ended_claims.${name} else excluded.${name} end`,
    )
    .join(', ')}`

/** Notes the claim that a change of a task ends, if it ends one. */
export const noteEndedClaim = (
  { tenantId, keyId: byKey }: Pick<Actor, 'tenantId' | 'keyId'>,
  nowMs: number,
  before: StoredTask | null,
  after: StoredTask | null,
  eventType: string,
): Statement[] => {
  const end = before && endOfClaim(before, after, eventType)
  if (!end) return []
  const { outcome, claim } = end
  const { token, keyId, worker, claimedAt, renewedAt } = claim
  const { id, projectId } = before.doc
  const isByTime = outcome === 'expired'
  const closedBy = isByTime || byKey === keyId ? null : byKey
  // Another worker of the same key may have taken it over.
  const seenAt = isByTime || closedBy !== null || outcome === 'taken_over' ? Date.parse(renewedAt) : nowMs
  const times = [Date.parse(claimedAt), nowMs]
  const params = [tenantId, id, numberOfToken(token), keyId, worker, projectId, ...times, outcome, closedBy, seenAt]
  return [{ text: insertText, params }]
}

export interface EndedFilter {
  sinceMs: number
  keyId?: string | undefined
  projectId?: string | undefined
}

/** What ended claims are summed up by; of times, the start of each span of so many milliseconds. */
export type EndedGroup = 'key_id' | 'worker' | 'project_id' | number

interface GroupName {
  name: string | number
  worker: string | null
}

const finished = `outcome in (${finishedOutcomes.map((outcome) => `'${outcome}'`).join(', ')})`

const selectionOf = (
  tenantId: string,
  group: EndedGroup,
  { sinceMs, keyId, projectId }: EndedFilter,
  keyColumn: 'key_id' | 'closed_by' = 'key_id',
): { columns: string; where: string; params: Value[] } => {
  const conditions = ['tenant_id = ?', 'ended_at >= ?']
  const params: Value[] = [tenantId, sinceMs]
  if (keyId !== undefined) {
    conditions.push(`${keyColumn} = ?`)
    params.push(keyId)
  }
  if (projectId !== undefined) {
    conditions.push('project_id = ?')
    params.push(projectId)
  }
  const ofKey = group === 'worker' || group === 'key_id'
  const name = typeof group === 'number' ? `ended_at - ended_at % ${group}` : ofKey ? keyColumn : group
  const worker = group === 'worker' ? 'worker' : 'null'
  return { columns: `${name} as name, ${worker} as worker`, where: conditions.join(' and '), params }
}

/** How many claims of each group ended in which way, and whether by another key; from the first one's start to when a holder was last heard of. */
export const countEnded = (
  db: Sql,
  tenantId: string,
  group: EndedGroup,
  filter: EndedFilter,
): Promise<
  (GroupName & { outcome: string; by_other: number; count: number; first_at: number; seen_at: number | null })[]
> => {
  const { columns, where, params } = selectionOf(tenantId, group, filter)
  return Promise.resolve(
    db.all(
      `select name, worker, outcome, by_other, count(*) as count, min(claimed_at) as first_at, max(seen_at) as seen_at
       from (select ${columns}, outcome, claimed_at, seen_at, case when closed_by is null then 0 else 1 end as by_other
             from ended_claims where ${where}) ended
       group by name, worker, outcome, by_other`,
      params,
    ),
  )
}

/** How many claims of other keys each group finished. */
export const countFinishedForOthers = (
  db: Sql,
  tenantId: string,
  group: EndedGroup,
  filter: EndedFilter,
): Promise<{ name: string | number; count: number }[]> => {
  const { columns, where, params } = selectionOf(tenantId, group, filter, 'closed_by')
  return Promise.resolve(
    db.all(
      `select name, count(*) as count
       from (select ${columns} from ended_claims where ${where} and closed_by is not null and ${finished}) ended
       group by name`,
      params,
    ),
  )
}

/** How long the claims of each group took by which their holders handed in work, in the middle of all. */
export const medianDurations = (
  db: Sql,
  tenantId: string,
  group: EndedGroup,
  filter: EndedFilter,
): Promise<(GroupName & { ms: number })[]> => {
  const { columns, where, params } = selectionOf(tenantId, group, filter)
  return Promise.resolve(
    db.all(
      `select name, worker, cast(avg(ms) as bigint) as ms from (
         select name, worker, ms, row_number() over (partition by name, worker order by ms) as place,
           count(*) over (partition by name, worker) as total
         from (select ${columns}, ended_at - claimed_at as ms from ended_claims
               where ${where} and closed_by is null and ${finished}) finished) ranked
       where place in ((total + 1) / 2, (total + 2) / 2) group by name, worker`,
      params,
    ),
  )
}

/** The tokens of the claims that a worker of a key let end since a time, or holds; the newest first. */
export const tokensOfWorker = async (
  db: Sql,
  tenantId: string,
  { keyId, worker, sinceMs }: { keyId: string; worker: string; sinceMs: number },
  count: number,
): Promise<string[]> => {
  const ended = await db.all<{ task_id: string; number: number }>(
    `select task_id, number from ended_claims where tenant_id = ? and key_id = ? and worker = ? and ended_at >= ?
     order by ended_at desc limit cast(? as bigint)`,
    [tenantId, keyId, worker, sinceMs, count],
  )
  const held = await db.all<{ claim: string }>('select claim from tasks where tenant_id = ? and claim_key_id = ?', [
    tenantId,
    keyId,
  ])
  const claims = held.map(({ claim }) => JSON.parse(claim) as { token: string; worker: string | null })
  return [
    ...claims.filter((claim) => claim.worker === worker).map(({ token }) => token),
    ...ended.map(({ task_id, number }) => `${task_id}.${number}`),
  ]
}
