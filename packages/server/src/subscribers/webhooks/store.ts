import type { Row } from '../../base/record.js'
import type { Sql } from '../../db/port.js'
import { type Webhook, webhookRecord } from './schema.js'

const webhookRow = webhookRecord.row

const columns = webhookRow.columns({
  replay: `case when replay_position is not null and replay_until is not null
    then '{"position":' || replay_position || ',"toSequence":' || replay_until || '}' end`,
})

export const findWebhook = async (
  db: Sql,
  tenantId: string,
  id: string,
  lock: '' | 'forUpdate' = '',
): Promise<Webhook | undefined> => {
  const found = await db.get<Row>(
    `select ${columns} from webhooks where tenant_id = ? and id = ?${lock && db.dialect[lock]}`,
    [tenantId, id],
  )
  return found && webhookRow.read(found)
}

export const listWebhooks = async (
  db: Sql,
  tenantId: string,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<Webhook[]> => {
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<Row>(
    `select ${columns} from webhooks where tenant_id = ?${from} order by created_at, id limit cast(? as bigint)`,
    [tenantId, ...(after ?? []), count],
  )
  return rows.map(webhookRow.read)
}

export const listWebhookIds = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>('select id from webhooks where tenant_id = ?', [tenantId])
  return rows.map(({ id }) => id)
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

export const insertWebhook = async (db: Sql, tenantId: string, webhook: Webhook): Promise<void> => {
  await db.run(
    `insert into webhooks (tenant_id, ${webhookRow.insert.columns}) values (?, ${webhookRow.insert.marks})`,
    [tenantId, ...webhookRow.insert.values(webhook)],
  )
}

export const updateWebhook = async (db: Sql, tenantId: string, webhook: Webhook): Promise<void> => {
  await db.run(`update webhooks set ${webhookRow.update.assignments} where tenant_id = ? and id = ?`, [
    ...webhookRow.update.values(webhook),
    ...[tenantId, webhook.id],
  ])
}

/** The whole URL of a webhook that shows only a part of it, encrypted. */
export const setSealedUrl = async (db: Sql, tenantId: string, id: string, sealedUrl: string | null): Promise<void> => {
  await db.run('update webhooks set sealed_url = ? where tenant_id = ? and id = ?', [sealedUrl, tenantId, id])
}

export const hasSealedUrl = async (db: Sql, tenantId: string, id: string): Promise<boolean> =>
  (await db.get('select 1 as one from webhooks where tenant_id = ? and id = ? and sealed_url is not null', [
    tenantId,
    id,
  ])) !== undefined

export const listSealedUrls = async (
  db: Sql,
  tenantId: string,
): Promise<{ webhookId: string; sealedUrl: string }[]> => {
  const rows = await db.all<{ id: string; sealed_url: string }>(
    'select id, sealed_url from webhooks where tenant_id = ? and sealed_url is not null order by id',
    [tenantId],
  )
  return rows.map(({ id, sealed_url }) => ({ webhookId: id, sealedUrl: sealed_url }))
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

/** A webhook that is rotated again and again within the overlap keeps this many. */
const secretsPerWebhook = 5

/** Every secret of a tenant's webhooks, as it is stored. */
export const listSecrets = async (db: Sql, tenantId: string): Promise<{ webhookId: string; secret: string }[]> => {
  const rows = await db.all<{ webhook_id: string; secret: string }>(
    'select webhook_id, secret from webhook_secrets where tenant_id = ? order by webhook_id, secret',
    [tenantId],
  )
  return rows.map(({ webhook_id, secret }) => ({ webhookId: webhook_id, secret }))
}

export const replaceSecret = async (
  db: Sql,
  tenantId: string,
  webhookId: string,
  secret: string,
  next: string,
): Promise<number> =>
  db.run('update webhook_secrets set secret = ? where tenant_id = ? and webhook_id = ? and secret = ?', [
    next,
    tenantId,
    webhookId,
    secret,
  ])

export const deleteSecrets = async (db: Sql, tenantId: string, webhookId: string): Promise<void> => {
  await db.run('delete from webhook_secrets where tenant_id = ? and webhook_id = ?', [tenantId, webhookId])
}

/**
 * Lets the secrets of a webhook end no later than the given time, and removes those that have ended or are too many
 * for one more.
 */
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
  await db.run(
    `delete from webhook_secrets where tenant_id = ? and webhook_id = ? and secret not in (
       select secret from webhook_secrets where tenant_id = ? and webhook_id = ? order by created_at desc, secret limit cast(? as bigint))`,
    [tenantId, webhookId, tenantId, webhookId, secretsPerWebhook - 1],
  )
}

/** What signs now, encrypted, the newest first. */
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

/** Lets every webhook of a tenant start over at the end of the log, without leases, replays or counted failures. */
export const moveToLogEnd = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run(
    `update webhooks set position = (select last_sequence from tenants where tenants.tenant_id = :tenant),
       replay_position = null, replay_until = null, next_due_at = null,
       failing_since = null, last_failure_at = null, consecutive_failures = 0, paused_until = 0
     where tenant_id = ?`,
    [tenantId],
  )
}
