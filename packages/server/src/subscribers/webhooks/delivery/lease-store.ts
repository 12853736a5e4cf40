import { noteDue } from '../../../changelog/due-work/note.js'
import { type EventFilter, type EventType, typesMatching } from '../../../changelog/event-types.js'
import type { Sql } from '../../../db/port.js'
import { humanEventTypes } from '../messages/human-events.js'
import type { Format } from '../schema.js'
import { signingSecrets } from '../store.js'
import type { Health } from './schedule.js'

/** Announced when a webhook is created, changed or deleted. */
export const webhooksTopic = 'webhooks'
/** Announced when a webhook has something to send that is not a new event. */
export const deliveriesTopic = 'webhook-deliveries'

const noteNow = async (db: Sql, tenantId: string, nowMs: number): Promise<void> => {
  await db.runAll(noteDue(db, { tenantId, kind: 'webhooks', dueAtMs: nowMs }, nowMs))
}

/** The id is a topic too, so that only its own worker wakes. */
export const announceWebhook = async (db: Sql, tenantId: string, webhookId: string, nowMs: number): Promise<void> => {
  await noteNow(db, tenantId, nowMs)
  db.announce(webhooksTopic)
  db.announce(webhookId)
}

export const announceDelivery = async (db: Sql, tenantId: string, webhookId: string, nowMs: number): Promise<void> => {
  await noteNow(db, tenantId, nowMs)
  db.announce(deliveriesTopic)
  db.announce(webhookId)
}

/** A webhook that this node alone sends to while its lease lasts. */
export interface LeasedWebhook {
  tenantId: string
  id: string
  url: string
  /** The whole URL, encrypted, where the other is only a part of it. */
  sealedUrl: string | null
  format: Format
  /** Whose inbox it sends in place of events. */
  inboxOf: string | null
  /** What to read of the log: the events to send, and the deletion of its project or user. */
  filter: EventFilter
  /** The types to send. */
  types: readonly EventType[]
  projectId: string | null
  isActive: boolean
  position: number
  replay: { position: number; until: number } | null
  health: Health
}

export interface SigningWebhook extends LeasedWebhook {
  /** Encrypted. */
  secrets: string[]
}

interface LeaseRow {
  tenant_id: string
  id: string
  url: string
  sealed_url: string | null
  format: Format
  events: string
  inbox_of: string | null
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
  'sealed_url',
  'format',
  'events',
  'inbox_of',
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

export const ofHumans = 'humans'

const typesOf = ({ events, inbox_of }: LeaseRow): readonly EventType[] => {
  if (inbox_of === null) return typesMatching(JSON.parse(events) as string[], 'events')
  return inbox_of === ofHumans ? humanEventTypes : []
}

/** Also reads how a webhook comes to have nothing more to send. */
const filterOf = (types: readonly EventType[], projectId: string | null, inboxOf: string | null): EventFilter => {
  const wanted = new Set(types)
  const isOfUser = inboxOf !== null && inboxOf !== ofHumans
  if (projectId !== null) wanted.add('project.deleted')
  if (isOfUser) wanted.add('user.deleted')
  return { types: [...wanted], projectIds: projectId === null ? null : isOfUser ? [projectId, ''] : [projectId] }
}

const settingsOf = (row: LeaseRow): Pick<LeasedWebhook, 'types' | 'projectId' | 'filter'> => {
  const types = typesOf(row)
  const projectId = row.project_id === '' ? null : row.project_id
  return { types, projectId, filter: filterOf(types, projectId, row.inbox_of) }
}

const leasedOf = (row: LeaseRow): LeasedWebhook => ({
  tenantId: row.tenant_id,
  id: row.id,
  url: row.url,
  sealedUrl: row.sealed_url,
  format: row.format,
  inboxOf: row.inbox_of,
  ...settingsOf(row),
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

/** Webhooks of a tenant with something to send and no lease. */
const waiting = (nowMs: string): string => `
  from webhooks w join tenants t on t.tenant_id = :tenant
  where w.tenant_id = ? and w.is_active = 1 and w.leased_until <= ${nowMs}
    and (w.next_due_at <= ?
         or (w.paused_until <= ? and (w.position < t.last_sequence or w.replay_position is not null)))`

export const isAnyWaiting = async (db: Sql, tenantId: string, nowMs: number): Promise<boolean> =>
  (await db.get(`select 1 as found ${waiting(db.dialect.nowMs)} limit 1`, [tenantId, nowMs, nowMs])) !== undefined

/** Leases webhooks of a tenant that wait, the least recently leased first; skips those that another node is just claiming. */
export const claimWebhooks = async (
  db: Sql,
  tenantId: string,
  nodeId: string,
  leaseMs: number,
  nowMs: number,
  count: number,
): Promise<LeasedWebhook[]> => {
  // Most often there are none, and looking locks nothing.
  if (!(await isAnyWaiting(db, tenantId, nowMs))) return []
  const { dialect } = db
  return db.transaction(async (tx) => {
    const rows = await tx.runReturning<LeaseRow>(
      `with due as materialized (
         select w.id ${waiting(dialect.nowMs)} order by w.leased_until limit cast(? as bigint)${dialect.skipLocked('w')}
       )
       update webhooks set leased_by = ?, leased_until = ${dialect.nowMs} + ?
       from due where webhooks.tenant_id = :tenant and webhooks.id = due.id
       returning ${columnNames.map((name) => `webhooks.${name}`).join(', ')}`,
      [tenantId, nowMs, nowMs, count, nodeId, leaseMs],
    )
    // Should this node be gone by then.
    if (rows.length > 0) await tx.runAll(noteDue(tx, { tenantId, kind: 'webhooks', dueAtMs: nowMs + leaseMs }, nowMs))
    return rows.map(leasedOf)
  })
}

/** A webhook without a lease whose events nobody told of is found after this time. */
const lookAgainAfterMs = 15_000

/** When a tenant's webhooks are to be looked at next; null where none is on. */
export const nextLookMs = async (db: Sql, tenantId: string, nowMs: number): Promise<number | null> => {
  const rows = await db.all<{ lease_ms: number; next_due_at: number | null; paused_until: number; is_behind: number }>(
    `select w.leased_until - ${db.dialect.nowMs} as lease_ms, w.next_due_at, w.paused_until,
       case when w.position < t.last_sequence or w.replay_position is not null then 1 else 0 end as is_behind
     from webhooks w join tenants t on t.tenant_id = :tenant where w.tenant_id = ? and w.is_active = 1`,
    [tenantId],
  )
  if (rows.length === 0) return null
  const times = rows.flatMap(({ lease_ms, next_due_at, paused_until, is_behind }) => {
    // Who holds the lease does the rest.
    if (lease_ms > 0) return [nowMs + lease_ms]
    return [...(next_due_at === null ? [] : [next_due_at]), ...(is_behind ? [paused_until] : [])]
  })
  return Math.min(nowMs + lookAgainAfterMs, ...times)
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

/** For all webhooks of a tenant that a node holds. */
export const renewLeases = async (db: Sql, tenantId: string, nodeId: string, leaseMs: number): Promise<void> => {
  const { nowMs } = db.dialect
  await db.run(
    `update webhooks set leased_until = ${nowMs} + ? where tenant_id = ? and leased_by = ? and leased_until > ${nowMs}`,
    [leaseMs, tenantId, nodeId],
  )
}

/** Releases a webhook, with how far the log was read for it. */
export const releaseLease = async (
  db: Sql,
  { tenantId, id }: LeasedWebhook,
  nodeId: string,
  position: number,
): Promise<void> => {
  await db.run(
    `update webhooks set leased_by = null, leased_until = ${db.dialect.nowMs},
       position = case when position < cast(? as bigint) then ? else position end
     where tenant_id = ? and id = ? and leased_by = ?`,
    [position, position, tenantId, id, nodeId],
  )
}

/** Where one process works alone, what is leased at its start was leased by one that is gone. */
export const releaseAllLeases = async (db: Sql): Promise<void> => {
  await db.run('update webhooks set leased_by = null, leased_until = 0 where leased_by is not null')
}

export interface Progress {
  position?: number
  /** Null when the replay has come to its end. */
  replayPosition?: number | null
  /** Whether deliveries were tried that were waiting for their time. */
  hasRetried?: boolean
  health: Health
}

/** Writes the progress of a webhook; returns false where the lease is lost. Locks the webhook. */
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
  const [saved] = await Promise.all([
    db.run(`update webhooks set ${sets.join(', ')} where tenant_id = ? and id = ? and leased_by = ?`, [
      ...[...values, tenantId, id, nodeId],
    ]),
    // What a crash may lose of this is sent once more. Citus would refuse it as part of the update.
    db.get(`select ${db.dialect.commitSoon} as soon`),
  ])
  return saved > 0
}

/** The webhooks of a tenant that are on. */
export const activeWebhookIds = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>('select id from webhooks where tenant_id = ? and is_active = 1', [tenantId])
  return rows.map(({ id }) => id)
}
