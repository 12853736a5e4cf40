import { isoTime } from '../clock.js'
import type { Sql } from '../db/port.js'
import type { Webhook } from './schema.js'

interface WebhookRow {
  id: string
  url: string
  events: string
  project_id: string
  description: string
  is_active: number
  disabled_reason: string | null
  failing_since: number | null
  position: number
  replay_position: number | null
  replay_until: number | null
  created_at: number
  updated_at: number
}

const columns =
  'id, url, events, project_id, description, is_active, disabled_reason, failing_since, position, replay_position, replay_until, created_at, updated_at'

const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as string[],
  projectId: row.project_id || null,
  description: row.description,
  active: row.is_active === 1,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since === null ? null : isoTime(row.failing_since),
  position: row.position,
  replay:
    row.replay_position === null || row.replay_until === null
      ? null
      : { position: row.replay_position, toSequence: row.replay_until },
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
})

export const findWebhook = async (
  db: Sql,
  tenantId: string,
  id: string,
  lock: '' | 'forUpdate' = '',
): Promise<Webhook | undefined> => {
  const row = await db.get<WebhookRow>(
    `select ${columns} from webhooks where tenant_id = ? and id = ?${lock && db.dialect[lock]}`,
    [tenantId, id],
  )
  return row && webhookOf(row)
}

export const listWebhooks = async (
  db: Sql,
  tenantId: string,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<Webhook[]> => {
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<WebhookRow>(
    `select ${columns} from webhooks where tenant_id = ?${from} order by created_at, id limit ?`,
    [tenantId, ...(after ?? []), count],
  )
  return rows.map(webhookOf)
}

/** How many webhooks a tenant has and where its log stands, both kept from changing until the transaction ends. */
export const lockTenantWebhooks = async (db: Sql, tenantId: string): Promise<{ count: number; newest: number }> => {
  const tenant = await db.get<{ last_sequence: number }>(
    `select last_sequence from tenants where tenant_id = ?${db.dialect.forUpdate}`,
    [tenantId],
  )
  const row = await db.get<{ count: number }>('select count(*) as count from webhooks where tenant_id = ?', [tenantId])
  return { count: row?.count ?? 0, newest: tenant?.last_sequence ?? 0 }
}

const settingsOf = (webhook: Webhook) => [
  webhook.url,
  JSON.stringify(webhook.events),
  webhook.projectId ?? '',
  webhook.description,
  webhook.active ? 1 : 0,
  webhook.disabledReason,
  Date.parse(webhook.updatedAt),
]

export const insertWebhook = async (db: Sql, tenantId: string, webhook: Webhook): Promise<void> => {
  await db.run(
    `insert into webhooks (url, events, project_id, description, is_active, disabled_reason, updated_at,
                           tenant_id, id, position, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [...settingsOf(webhook), tenantId, webhook.id, webhook.position, Date.parse(webhook.createdAt)],
  )
}

export const updateWebhook = async (db: Sql, tenantId: string, webhook: Webhook): Promise<void> => {
  await db.run(
    `update webhooks set url = ?, events = ?, project_id = ?, description = ?, is_active = ?, disabled_reason = ?,
                         updated_at = ?
     where tenant_id = ? and id = ?`,
    [...settingsOf(webhook), tenantId, webhook.id],
  )
}

/** One that is turned on again begins with a clean record. */
export const forgetFailures = async (db: Sql, tenantId: string, id: string): Promise<void> => {
  await db.run(
    `update webhooks set failing_since = null, last_failure_at = null, consecutive_failures = 0, paused_until = 0
     where tenant_id = ? and id = ?`,
    [tenantId, id],
  )
}

export const deleteWebhook = async (db: Sql, tenantId: string, id: string): Promise<void> => {
  await db.run('delete from webhooks where tenant_id = ? and id = ?', [tenantId, id])
}

export const setReplay = async (
  db: Sql,
  tenantId: string,
  id: string,
  [after, until]: readonly [after: number, until: number],
): Promise<void> => {
  await db.run('update webhooks set replay_position = ?, replay_until = ? where tenant_id = ? and id = ?', [
    after,
    until,
    tenantId,
    id,
  ])
}

export const insertSecret = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  secret: string,
  nowMs: number,
): Promise<void> => {
  await db.run('insert into webhook_secrets (tenant_id, webhook_id, secret, created_at) values (?, ?, ?, ?)', [
    tenantId,
    webhookId,
    secret,
    nowMs,
  ])
}

/** Lets the secrets of a webhook end no later than the given time, and removes those that have ended. */
export const endSecrets = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  [nowMs, endMs]: readonly [nowMs: number, endMs: number],
): Promise<void> => {
  await db.run(
    `update webhook_secrets set expires_at = ?
     where tenant_id = ? and webhook_id = ? and (expires_at is null or expires_at > ?)`,
    [endMs, tenantId, webhookId, endMs],
  )
  await db.run('delete from webhook_secrets where tenant_id = ? and webhook_id = ? and expires_at <= ?', [
    tenantId,
    webhookId,
    nowMs,
  ])
}

/** What signs now, the newest first. */
export const signingSecrets = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  nowMs: number,
): Promise<string[]> => {
  const rows = await db.all<{ secret: string }>(
    `select secret from webhook_secrets where tenant_id = ? and webhook_id = ? and (expires_at is null or expires_at > ?)
     order by case when expires_at is null then 0 else 1 end, created_at desc`,
    [tenantId, webhookId, nowMs],
  )
  return rows.map(({ secret }) => secret)
}
