import { type Call, changing } from '../call.js'
import { isoTime } from '../clock.js'
import { AppError, notFound } from '../errors.js'
import { changedFields, record } from '../events/record.js'
import { type EventType, typesMatching } from '../events/types.js'
import type { PageQuery } from '../fields.js'
import { newId } from '../ids.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../paging.js'
import { projectNamed } from '../projects/service.js'
import { webhooksTopic } from './lease-store.js'
import type { NewWebhook, SecretRotation, Webhook, WebhookPatch } from './schema.js'
import { newSigningSecret } from './signature.js'
import * as store from './store.js'

export interface WebhookWithSecret {
  webhook: Webhook
  secret: string
}

export const webhooksPerTenant = 20

export const existingWebhook = async (call: Call, id: string, lock?: 'forUpdate'): Promise<Webhook> => {
  const webhook = await store.findWebhook(call.db, call.actor.tenantId, id, lock)
  if (!webhook) throw notFound(`webhook "${id}"`)
  return webhook
}

const recordWebhook = async (call: Call, type: EventType, webhook: Webhook, previous?: object): Promise<void> => {
  await record(call, {
    type,
    subject: webhook.id,
    projectId: webhook.projectId ?? '',
    data: JSON.stringify(webhook),
    previous: previous ? JSON.stringify(previous) : null,
  })
  call.db.announce(webhooksTopic)
}

const idOfProject = async (call: Call, ref: string | null | undefined): Promise<string | null> =>
  ref ? (await projectNamed(call, ref)).id : null

export const listWebhooks = async (call: Call, { limit = 50, cursor }: PageQuery): Promise<Page<Webhook>> => {
  const { tenantId } = call.actor
  const fingerprint = listFingerprint([tenantId, 'webhooks'])
  const after =
    cursor === undefined ? undefined : decodeCursor<[number, string]>(cursor, fingerprint, ['integer', 'text'])
  const webhooks = await store.listWebhooks(call.db, tenantId, after, limit + 1)
  return pageOf(webhooks, limit, (last) => encodeCursor(fingerprint, [Date.parse(last.createdAt), last.id]))
}

/** The url must have been checked before: a transaction does not wait for name servers. */
export const createWebhook = async (call: Call, input: NewWebhook): Promise<WebhookWithSecret> => {
  typesMatching(input.events, 'events')
  return changing(call, async (call) => {
    const { tenantId } = call.actor
    const projectId = await idOfProject(call, input.projectId)
    const { count, newest } = await store.lockTenantWebhooks(call.db, tenantId)
    if (count >= webhooksPerTenant) {
      throw new AppError('CONFLICT', `There are ${webhooksPerTenant} webhooks already, the most a tenant can have.`, {
        hint: 'Delete one first, or let one webhook take more events.',
      })
    }
    const nowMs = call.clock()
    const webhook: Webhook = {
      id: newId('whk'),
      url: input.url,
      events: input.events,
      projectId,
      description: input.description ?? '',
      active: input.active ?? true,
      disabledReason: null,
      failingSince: null,
      // It hears of what comes after its own creation, which is the next event.
      position: newest + 1,
      replay: null,
      createdAt: isoTime(nowMs),
      updatedAt: isoTime(nowMs),
    }
    const secret = newSigningSecret()
    await store.insertWebhook(call.db, tenantId, webhook)
    await store.insertSecret(call.db, tenantId, webhook.id, secret, nowMs)
    await recordWebhook(call, 'webhook.created', webhook)
    return { webhook, secret }
  })
}

/** A new url must have been checked before. */
export const updateWebhook = async (
  call: Call,
  id: string,
  { projectId: projectRef, ...patch }: WebhookPatch,
): Promise<Webhook> => {
  if (patch.events) typesMatching(patch.events, 'events')
  return changing(call, async (call) => {
    const before = await existingWebhook(call, id, 'forUpdate')
    const projectId = projectRef === undefined ? before.projectId : await idOfProject(call, projectRef)
    const isTurnedOn = patch.active === true && !before.active
    const wanted: Webhook = {
      ...before,
      ...patch,
      projectId,
      ...(isTurnedOn && { disabledReason: null, failingSince: null }),
    }
    const changed = changedFields(before, wanted)
    if (Object.keys(changed).length === 0) return before
    const after = { ...wanted, updatedAt: isoTime(call.clock()) }
    await store.updateWebhook(call.db, call.actor.tenantId, after)
    if (isTurnedOn) await store.forgetFailures(call.db, call.actor.tenantId, id)
    await recordWebhook(call, 'webhook.updated', after, changed)
    return after
  })
}

export const deleteWebhook = (call: Call, id: string): Promise<void> =>
  changing(call, async (call) => {
    const webhook = await existingWebhook(call, id, 'forUpdate')
    await store.deleteWebhook(call.db, call.actor.tenantId, id)
    await recordWebhook(call, 'webhook.deleted', webhook)
  })

/** A new secret at once; the old one signs beside it until the overlap is over. */
export const rotateSecret = (
  call: Call,
  id: string,
  { overlapSeconds = 86_400 }: SecretRotation,
): Promise<WebhookWithSecret> =>
  changing(call, async (call) => {
    const { tenantId } = call.actor
    const nowMs = call.clock()
    const webhook = await existingWebhook(call, id, 'forUpdate')
    const secret = newSigningSecret()
    await store.endSecrets(call.db, tenantId, id, [nowMs, nowMs + overlapSeconds * 1_000])
    await store.insertSecret(call.db, tenantId, id, secret, nowMs)
    await recordWebhook(call, 'webhook.rotated', webhook)
    return { webhook, secret }
  })

/** Turns off a webhook that cannot be delivered to, and says why. */
export const disableWebhook = async (call: Call, id: string, reason: string): Promise<void> => {
  const before = await existingWebhook(call, id, 'forUpdate')
  const after = { ...before, active: false, disabledReason: reason, updatedAt: isoTime(call.clock()) }
  await store.updateWebhook(call.db, call.actor.tenantId, after)
  await recordWebhook(call, 'webhook.disabled', after, { active: before.active, disabledReason: null })
}
