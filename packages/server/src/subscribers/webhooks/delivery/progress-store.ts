import { noteDue } from '../../../background/note.js'
import { type EventFilter, type EventType, typesMatching } from '../../../changelog/event-types.js'
import type { Sql } from '../../../db/port.js'
import { deliveriesTopic } from '../../../db/topics.js'
import { humanEventTypes } from '../messages/human-events.js'
import type { Format } from '../schema.js'
import { signingSecrets } from '../store.js'
import type { Health } from './schedule.js'

/**
 * Schedules a check of a tenant's webhooks, because one was created, changed or deleted, or has something to send
 * besides new events.
 */
export const announceDeliveries = async (db: Sql, tenantId: string, nowMs: number): Promise<void> => {
  await db.runAll(noteDue(db, { tenantId, kind: 'webhooks', dueAtMs: nowMs }, nowMs))
  db.announce(deliveriesTopic(tenantId))
}

/** An enabled webhook as it is stored. */
export interface ActiveWebhook {
  tenantId: string
  id: string
  url: string
  /** The encrypted full URL, if `url` is only a part of it. */
  sealedUrl: string | null
  format: Format
  /** Whose inbox entries the webhook sends instead of events. */
  inboxOf: string | null
  /** Events to read from the log: those to send, and the deletion of the webhook's project or user. */
  filter: EventFilter
  /** Event types to send. */
  types: readonly EventType[]
  projectId: string | null
  position: number
  replay: { position: number; until: number } | null
  health: Health
}

export interface SigningWebhook extends ActiveWebhook {
  /** Encrypted. */
  secrets: string[]
}

interface WebhookRow {
  tenant_id: string
  id: string
  url: string
  sealed_url: string | null
  format: Format
  events: string
  inbox_of: string | null
  project_id: string
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
  'position',
  'replay_position',
  'replay_until',
  'failing_since',
  'last_failure_at',
  'consecutive_failures',
  'paused_until',
]
const columns = columnNames.map((name) => `w.${name}`).join(', ')

export const ofHumans = 'humans'

const typesOf = ({ events, inbox_of }: WebhookRow): readonly EventType[] => {
  if (inbox_of === null) return typesMatching(JSON.parse(events) as string[], 'events')
  return inbox_of === ofHumans ? humanEventTypes : []
}

/** Includes the deletion of the webhook's project or user, after which there is nothing more to send. */
const filterOf = (types: readonly EventType[], projectId: string | null, inboxOf: string | null): EventFilter => {
  const wanted = new Set(types)
  const isOfUser = inboxOf !== null && inboxOf !== ofHumans
  if (projectId !== null) wanted.add('project.deleted')
  if (isOfUser) wanted.add('user.deleted')
  return { types: [...wanted], projectIds: projectId === null ? null : isOfUser ? [projectId, ''] : [projectId] }
}

const settingsOf = (row: WebhookRow): Pick<ActiveWebhook, 'types' | 'projectId' | 'filter'> => {
  const types = typesOf(row)
  const projectId = row.project_id === '' ? null : row.project_id
  return { types, projectId, filter: filterOf(types, projectId, row.inbox_of) }
}

const activeOf = (row: WebhookRow): ActiveWebhook => ({
  tenantId: row.tenant_id,
  id: row.id,
  url: row.url,
  sealedUrl: row.sealed_url,
  format: row.format,
  inboxOf: row.inbox_of,
  ...settingsOf(row),
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

/** Whether a webhook has events or a replay to send. */
const isBehind =
  'case when w.position < t.last_sequence or w.replay_position is not null then 1 else 0 end as is_behind'
const activeWithTenant = `from webhooks w join tenants t on t.tenant_id = :tenant where w.tenant_id = ? and w.is_active = 1`

/** Returns the enabled webhooks of a tenant, and which of them have something to send now. */
export const listActive = async (
  db: Sql,
  tenantId: string,
  nowMs: number,
): Promise<{ webhook: ActiveWebhook; hasWork: boolean }[]> => {
  const rows = await db.all<WebhookRow & { next_due_at: number | null; is_behind: number }>(
    `select ${columns}, w.next_due_at, ${isBehind} ${activeWithTenant}`,
    [tenantId],
  )
  return rows.map((row) => ({
    webhook: activeOf(row),
    hasWork: (row.next_due_at ?? Infinity) <= nowMs || (row.is_behind === 1 && row.paused_until <= nowMs),
  }))
}

/** Events whose notification was lost are found after this time. */
const lookAgainAfterMs = 15_000

/** Returns when to check a tenant's webhooks next; null if none is enabled. */
export const nextLookMs = async (db: Sql, tenantId: string, nowMs: number): Promise<number | null> => {
  const rows = await db.all<{ next_due_at: number | null; paused_until: number; is_behind: number }>(
    `select w.next_due_at, w.paused_until, ${isBehind} ${activeWithTenant}`,
    [tenantId],
  )
  if (rows.length === 0) return null
  const times = rows.flatMap(({ next_due_at, paused_until, is_behind }) => [
    ...(next_due_at === null ? [] : [next_due_at]),
    ...(is_behind ? [paused_until] : []),
  ])
  return Math.max(nowMs, Math.min(nowMs + lookAgainAfterMs, ...times))
}

/** Returns the current webhook and its signing secrets; undefined if it is disabled or deleted. */
export const findActive = async (
  db: Sql,
  { tenantId, id }: ActiveWebhook,
  nowMs: number,
): Promise<SigningWebhook | undefined> => {
  const row = await db.get<WebhookRow>(
    `select ${columns} from webhooks w where w.tenant_id = ? and w.id = ? and w.is_active = 1`,
    [tenantId, id],
  )
  return row && { ...activeOf(row), secrets: await signingSecrets(db, tenantId, id, nowMs) }
}

interface Move<T> {
  from: number
  to: T
}

/** Saves how far the log was read for a webhook. Writes nothing if another node moved the position first. */
export const savePosition = async (
  db: Sql,
  { tenantId, id }: ActiveWebhook,
  { from, to }: Move<number>,
): Promise<void> => {
  await db.run('update webhooks set position = ? where tenant_id = ? and id = ? and position = ?', [
    to,
    tenantId,
    id,
    from,
  ])
}

export interface Progress {
  position?: Move<number>
  /** Moves to null when the replay is complete. */
  replayPosition?: Move<number | null>
  /** Whether deliveries that were waiting for a retry were attempted. */
  hasRetried?: boolean
  health: Health
}

/**
 * Writes the progress of a webhook and locks its row; returns false if the webhook was deleted or its position was
 * moved.
 */
export const saveProgress = async (
  db: Sql,
  { tenantId, id }: ActiveWebhook,
  { position, replayPosition, health }: Progress,
): Promise<boolean> => {
  const sets = ['failing_since = ?', 'last_failure_at = ?', 'consecutive_failures = ?', 'paused_until = ?']
  const values: (number | null)[] = [
    health.failingSince,
    health.lastFailureAt,
    health.consecutiveFailures,
    health.pausedUntil,
  ]
  const conditions = ['tenant_id = ?', 'id = ?']
  const expected: number[] = []
  if (position) {
    sets.push('position = ?')
    values.push(position.to)
    conditions.push('position = ?')
    expected.push(position.from)
  }
  if (replayPosition) {
    sets.push('replay_position = ?', ...(replayPosition.to === null ? ['replay_until = null'] : []))
    values.push(replayPosition.to)
    conditions.push('replay_position = ?')
    expected.push(replayPosition.from)
  }
  const [saved] = await Promise.all([
    db.run(`update webhooks set ${sets.join(', ')} where ${conditions.join(' and ')}`, [
      ...values,
      tenantId,
      id,
      ...expected,
    ]),
    // A crash may lose this write, and the deliveries are then sent again. Citus rejects this as part of the update.
    db.get(`select ${db.dialect.commitSoon} as soon`),
  ])
  return saved > 0
}
