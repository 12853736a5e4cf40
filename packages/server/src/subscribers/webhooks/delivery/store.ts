import { isoTime } from '../../../base/clock.js'
import { forTenant } from '../../../db/given-rows.js'
import type { Sql } from '../../../db/port.js'
import type { Delivery } from './schema.js'

interface DeliveryRow {
  id: string
  webhook_id: string
  reason: Delivery['reason']
  event_id: string
  type: string
  sequence: number | null
  payload: string | null
  status: Delivery['status']
  attempts: number
  next_attempt_at: number | null
  response_status: number | null
  response_body: string | null
  error: string | null
  duration_ms: number | null
  created_at: number
  attempted_at: number | null
}

/** A delivery and, where it is not an event of the log, what to send. */
export interface StoredDelivery extends Delivery {
  payload: string | null
}

const columnTypes = {
  id: 'text',
  reason: 'text',
  event_id: 'text',
  type: 'text',
  sequence: 'bigint',
  payload: 'text',
  status: 'text',
  attempts: 'bigint',
  next_attempt_at: 'bigint',
  response_status: 'bigint',
  response_body: 'text',
  error: 'text',
  duration_ms: 'bigint',
  created_at: 'bigint',
  attempted_at: 'bigint',
} as const
const columns = Object.keys(columnTypes).join(', ')
const given = Object.keys(columnTypes)
  .map((name) => `given.${name}`)
  .join(', ')

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
const msOrNull = (time: string | null): number | null => (time === null ? null : Date.parse(time))

const deliveryOf = (row: DeliveryRow): StoredDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  reason: row.reason,
  eventId: row.event_id,
  type: row.type,
  sequence: row.sequence,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: timeOrNull(row.next_attempt_at),
  responseStatus: row.response_status,
  responseBody: row.response_body,
  error: row.error,
  durationMs: row.duration_ms,
  createdAt: isoTime(row.created_at),
  attemptedAt: timeOrNull(row.attempted_at),
  payload: row.payload,
})

const rowOf = (delivery: StoredDelivery): Omit<DeliveryRow, 'webhook_id'> => ({
  id: delivery.id,
  reason: delivery.reason,
  event_id: delivery.eventId,
  type: delivery.type,
  sequence: delivery.sequence,
  payload: delivery.payload,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: msOrNull(delivery.nextAttemptAt),
  response_status: delivery.responseStatus,
  response_body: delivery.responseBody,
  error: delivery.error,
  duration_ms: delivery.durationMs,
  created_at: Date.parse(delivery.createdAt),
  attempted_at: msOrNull(delivery.attemptedAt),
})

/** What an attempt changes of a delivery. */
const attemptColumns = [
  'status',
  'attempts',
  'next_attempt_at',
  'response_status',
  'response_body',
  'error',
  'duration_ms',
  'attempted_at',
]

/** Writes deliveries, new ones and those that were there, in one statement. */
export const saveDeliveries = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  deliveries: readonly StoredDelivery[],
): Promise<void> => {
  if (deliveries.length === 0) return
  await db.run(
    `insert into webhook_deliveries (tenant_id, webhook_id, ${columns})
     select t.tenant_id, cast(? as text), ${given} from ${forTenant(db.dialect.rowsOf(columnTypes))}
     on conflict (tenant_id, webhook_id, id) do update set
       ${attemptColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [webhookId, JSON.stringify(deliveries.map(rowOf)), tenantId],
  )
}

/** Lets the workers see that a delivery is due; it locks the webhook, so it comes before the delivery is written. */
export const setDue = async (db: Sql, tenantId: string, webhookId: string, nowMs: number): Promise<void> => {
  await db.run('update webhooks set next_due_at = ? where tenant_id = ? and id = ?', [nowMs, tenantId, webhookId])
}

/** To be asked with the webhook locked, so that no delivery comes between. */
export const updateDue = async (db: Sql, tenantId: string, webhookId: string): Promise<void> => {
  await db.run(
    `update webhooks set next_due_at = (
       select min(next_attempt_at) from webhook_deliveries d
       where d.tenant_id = :tenant and d.webhook_id = webhooks.id and next_attempt_at is not null
     ) where tenant_id = ? and id = ?`,
    [tenantId, webhookId],
  )
}

const selected = `webhook_id, ${columns}`

export const findDelivery = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  id: string,
): Promise<StoredDelivery | undefined> => {
  const row = await db.get<DeliveryRow>(
    `select ${selected} from webhook_deliveries where tenant_id = ? and webhook_id = ? and id = ?`,
    [tenantId, webhookId, id],
  )
  return row && deliveryOf(row)
}

/** The newest first. */
export const listDeliveries = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  status: Delivery['status'] | undefined,
  before: string | undefined,
  count: number,
): Promise<StoredDelivery[]> => {
  const ofStatus = status ? ' and status = ?' : ''
  const from = before ? ' and id < ?' : ''
  const rows = await db.all<DeliveryRow>(
    `select ${selected} from webhook_deliveries where tenant_id = ? and webhook_id = ?${ofStatus}${from}
     order by id desc limit cast(? as bigint)`,
    [tenantId, webhookId, ...(status ? [status] : []), ...(before ? [before] : []), count],
  )
  return rows.map(deliveryOf)
}

export const listDueDeliveries = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  nowMs: number,
  count: number,
): Promise<StoredDelivery[]> => {
  const rows = await db.all<DeliveryRow>(
    `select ${selected} from webhook_deliveries
     where tenant_id = ? and webhook_id = ? and next_attempt_at is not null and next_attempt_at <= ?
     order by next_attempt_at, id limit cast(? as bigint)`,
    [tenantId, webhookId, nowMs, count],
  )
  return rows.map(deliveryOf)
}

/** Deletes settled deliveries with an id below another, up to a number of them; returns how many. */
export const deleteSettledBefore = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  beforeId: string,
  count: number,
): Promise<number> =>
  db.run(
    `delete from webhook_deliveries where tenant_id = ? and webhook_id = ? and id in (
       select id from webhook_deliveries
       where tenant_id = ? and webhook_id = ? and id < ? and next_attempt_at is null order by id limit cast(? as bigint))`,
    [tenantId, webhookId, tenantId, webhookId, beforeId, count],
  )

export const failPendingDeliveries = async (db: Sql, tenantId: string, error: string): Promise<void> => {
  await db.run(
    `update webhook_deliveries set status = 'failed', next_attempt_at = null, error = ?
     where tenant_id = ? and next_attempt_at is not null`,
    [error, tenantId],
  )
}

/** Takes what was sent of events, and what was answered, out of their deliveries. */
export const redactDeliveries = async (db: Sql, tenantId: string, sequences: readonly number[]): Promise<void> => {
  await db.run(
    `update webhook_deliveries set payload = null, response_body = null
     where tenant_id = ? and sequence is not null and ${db.dialect.isAmong('sequence', 'bigint')}`,
    [tenantId, db.dialect.listOf(sequences)],
  )
}
