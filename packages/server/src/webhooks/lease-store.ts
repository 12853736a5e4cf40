import type { Sql } from '../db/port.js'
import { type EventFilter, typesMatching } from '../events/types.js'
import type { Health } from './schedule.js'
import { signingSecrets } from './store.js'

/** Announced when a webhook changes or has something to send that is not in the log. */
export const webhooksTopic = 'webhooks'

/** A webhook that this node alone serves while its lease lasts. */
export interface LeasedWebhook {
  tenantId: string
  id: string
  url: string
  filter: EventFilter
  isActive: boolean
  position: number
  replay: { position: number; until: number } | null
  health: Health
}

export interface SigningWebhook extends LeasedWebhook {
  secrets: string[]
}

interface LeaseRow {
  tenant_id: string
  id: string
  url: string
  events: string
  project_id: string
  is_active: number
  position: number
  replay_position: number | null
  replay_until: number | null
  failing_since: number | null
  last_failure_at: number | null
  consecutive_failures: number
  paused_until: number
}

const columnNames = [
  'tenant_id',
  'id',
  'url',
  'events',
  'project_id',
  'is_active',
  'position',
  'replay_position',
  'replay_until',
  'failing_since',
  'last_failure_at',
  'consecutive_failures',
  'paused_until',
]
const columns = columnNames.join(', ')

const leasedOf = (row: LeaseRow): LeasedWebhook => ({
  tenantId: row.tenant_id,
  id: row.id,
  url: row.url,
  filter: {
    types: typesMatching(JSON.parse(row.events) as string[], 'events'),
    projectIds: row.project_id === '' ? null : [row.project_id],
  },
  isActive: row.is_active === 1,
  position: row.position,
  replay:
    row.replay_position === null || row.replay_until === null
      ? null
      : { position: row.replay_position, until: row.replay_until },
  health: {
    failingSince: row.failing_since,
    lastFailureAt: row.last_failure_at,
    consecutiveFailures: row.consecutive_failures,
    pausedUntil: row.paused_until,
  },
})

/** Webhooks with something to send that nobody serves. Workers serve all tenants. */
const waiting = (nowMs: string): string => `
  from webhooks w join tenants t on t.tenant_id = w.tenant_id
  where w.is_active = 1 and w.leased_until <= ${nowMs}
    and (w.next_due_at <= ?
         or (w.paused_until <= ? and (w.position < t.last_sequence or w.replay_position is not null)))`

const isAnyWaiting = async (db: Sql, nowMs: number): Promise<boolean> =>
  (await db.get(`select 1 as found ${waiting(db.dialect.nowMs)} limit 1`, [nowMs, nowMs])) !== undefined

/** Takes webhooks that wait, each for one node alone; those that another node is just taking are passed over. */
export const claimWebhooks = async (
  db: Sql,
  nodeId: string,
  leaseMs: number,
  nowMs: number,
  count: number,
): Promise<LeasedWebhook[]> => {
  // Most often there are none, and looking locks nothing.
  if (!(await isAnyWaiting(db, nowMs))) return []
  const { dialect } = db
  return db.transaction(async (tx) => {
    const rows = await tx.all<LeaseRow>(
      `with due as materialized (
         select w.tenant_id, w.id ${waiting(dialect.nowMs)} order by w.leased_until limit ?${dialect.skipLocked('w')}
       )
       update webhooks set leased_by = ?, leased_until = ${dialect.nowMs} + ?
       from due where webhooks.tenant_id = due.tenant_id and webhooks.id = due.id
       returning ${columnNames.map((name) => `webhooks.${name}`).join(', ')}`,
      [nowMs, nowMs, count, nodeId, leaseMs],
    )
    return rows.map(leasedOf)
  })
}

/** The webhook as it is now and what signs for it; undefined where the lease is lost or the webhook gone. */
export const findLeased = async (
  db: Sql,
  { tenantId, id }: LeasedWebhook,
  nodeId: string,
  nowMs: number,
): Promise<SigningWebhook | undefined> => {
  const row = await db.get<LeaseRow>(
    `select ${columns} from webhooks where tenant_id = ? and id = ? and leased_by = ?`,
    [tenantId, id, nodeId],
  )
  return row && { ...leasedOf(row), secrets: await signingSecrets(db, tenantId, id, nowMs) }
}

/** For all webhooks that a node serves. */
export const renewLeases = async (db: Sql, nodeId: string, leaseMs: number): Promise<void> => {
  const { nowMs } = db.dialect
  await db.run(`update webhooks set leased_until = ${nowMs} + ? where leased_by = ? and leased_until > ${nowMs}`, [
    leaseMs,
    nodeId,
  ])
}

/** Gives a webhook back, with how far the log was looked through for it. */
export const releaseLease = async (
  db: Sql,
  { tenantId, id }: LeasedWebhook,
  nodeId: string,
  position: number,
): Promise<void> => {
  await db.run(
    `update webhooks set leased_by = null, leased_until = 0,
       position = case when position < cast(? as bigint) then ? else position end
     where tenant_id = ? and id = ? and leased_by = ?`,
    [position, position, tenantId, id, nodeId],
  )
}

/** Where one process serves alone, what is leased at its start was leased by one that is gone. */
export const releaseAllLeases = async (db: Sql): Promise<void> => {
  await db.run('update webhooks set leased_by = null, leased_until = 0 where leased_until > 0')
}

export interface Progress {
  position?: number
  /** Null when the replay has come to its end. */
  replayPosition?: number | null
  /** Whether deliveries were tried that were waiting for their time. */
  isQueueServed?: boolean
  health: Health
}

/** Writes how far a webhook was served; answers false where the lease is lost. Locks the webhook. */
export const saveProgress = async (
  db: Sql,
  { tenantId, id }: LeasedWebhook,
  nodeId: string,
  { position, replayPosition, health }: Progress,
): Promise<boolean> => {
  const sets = ['failing_since = ?', 'last_failure_at = ?', 'consecutive_failures = ?', 'paused_until = ?']
  const values: (number | null)[] = [
    health.failingSince,
    health.lastFailureAt,
    health.consecutiveFailures,
    health.pausedUntil,
  ]
  if (position !== undefined) {
    sets.push('position = ?')
    values.push(position)
  }
  if (replayPosition !== undefined) {
    sets.push('replay_position = ?', ...(replayPosition === null ? ['replay_until = null'] : []))
    values.push(replayPosition)
  }
  // What a crash may lose of this is sent once more.
  const row = await db.get(
    `update webhooks set ${sets.join(', ')} where tenant_id = ? and id = ? and leased_by = ?
     returning id, ${db.dialect.commitSoon} as soon`,
    [...values, tenantId, id, nodeId],
  )
  return row !== undefined
}

/** Every webhook that is on, by its tenant. */
export const activeWebhookIds = async (db: Sql): Promise<Map<string, string[]>> => {
  const rows = await db.all<{ tenant_id: string; id: string }>('select tenant_id, id from webhooks where is_active = 1')
  const byTenant = new Map<string, string[]>()
  for (const { tenant_id, id } of rows) byTenant.set(tenant_id, [...(byTenant.get(tenant_id) ?? []), id])
  return byTenant
}
