import { isoTime } from '../../base/clock.js'
import { AppError, invalid, notFound } from '../../base/errors.js'
import type { PageQuery } from '../../base/fields.js'
import { newId } from '../../base/ids.js'
import { type Page, pagedList } from '../../base/paging.js'
import { audit } from '../../changelog/audit/service.js'
import { type EventType, typesMatching } from '../../changelog/event-types.js'
import { changedFields, record } from '../../changelog/record.js'
import type { SecretBox } from '../../db/secrets/service.js'
import type { Call } from '../../operations/call.js'
import { checkLasting } from '../../operations/strength.js'
import { changingAsAdmin } from '../../tenancy/keys/live-key.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { userNamed } from '../../tenancy/users/service.js'
import { announceDeliveries } from './delivery/progress-store.js'
import { newSigningSecret, secretPlace, urlPlace } from './delivery/signature.js'
import {
  type Format,
  type NewWebhook,
  type SecretRotation,
  type Webhook,
  type WebhookPatch,
  webhookRecord,
} from './schema.js'
import * as store from './store.js'
import type { Targets } from './target.js'

export interface WebhookWithSecret {
  webhook: Webhook
  secret: string
}

const webhooksPerTenant = 20

export const existingWebhook = async (call: Call, id: string, lock?: 'forUpdate'): Promise<Webhook> => {
  const webhook = await store.findWebhook(call.db, call.actor.tenantId, id, lock)
  if (!webhook) throw notFound('webhook', id)
  return webhook
}

type WebhookEvent = Extract<EventType, `webhook.${string}`>

const recordWebhook = async (call: Call, type: WebhookEvent, webhook: Webhook, previous?: object): Promise<void> => {
  const { url, format, events, inboxOf, projectId, active, disabledReason } = webhook
  await audit(call, type, {
    subject: webhook.id,
    details: { url, format, events, inboxOf, projectId, active, disabledReason, ...(previous && { previous }) },
  })
  await record(call, {
    type,
    subject: webhook.id,
    projectId: webhook.projectId ?? '',
    data: JSON.stringify(webhook),
    previous: previous ? JSON.stringify(previous) : null,
  })
  await announceDeliveries(call.db, call.actor.tenantId, call.clock())
}

const idOfProject = async (call: Call, ref: string | null | undefined): Promise<string | null> =>
  ref == null ? null : (await projectNamed(call, ref)).id

export const listWebhooks = ({ db, actor: { tenantId } }: Call, query: PageQuery): Promise<Page<Webhook>> =>
  pagedList(query, {
    list: [tenantId, 'webhooks'],
    kinds: ['integer', 'text'],
    read: (after, count) => store.listWebhooks(db, tenantId, after, count),
    placeOf: ({ createdAt, id }) => [Date.parse(createdAt), id],
  })

const storeSecret = async (call: Call, secretBox: SecretBox, webhookId: string, secret: string): Promise<void> => {
  const { tenantId } = call.actor
  const sealed = await secretBox.seal(call.db, secretPlace(tenantId, webhookId), secret)
  await store.insertSecret(call.db, tenantId, webhookId, sealed, call.clock())
}

/** Who knows the URL of a chat can write to it. */
const isSecretUrl = (format: Format): boolean => format !== 'standard'

const shownUrl = (format: Format, url: string): string => (isSecretUrl(format) ? new URL(url).origin : url)

const storeUrl = async (call: Call, secretBox: SecretBox, webhookId: string, url: string): Promise<void> => {
  const { tenantId } = call.actor
  const sealed = await secretBox.seal(call.db, urlPlace(tenantId, webhookId), url)
  await store.setSealedUrl(call.db, tenantId, webhookId, sealed)
}

/** The URL of a webhook is lost with the key that it was encrypted with. */
const requireUrl = async (call: Call, id: string): Promise<void> => {
  if (await store.hasSealedUrl(call.db, call.actor.tenantId, id)) return
  throw new AppError('no_url', 'The URL of this webhook was lost. Set it again when you enable the webhook.')
}

/** What a webhook sends: events, or what is in inboxes. */
const checkedSource = async (
  call: Call,
  { events, inboxOf = null }: { events?: string[] | undefined; inboxOf?: string | null | undefined },
): Promise<Pick<Webhook, 'events' | 'inboxOf'>> => {
  if ((events === undefined) === (inboxOf === null)) {
    throw invalid({ path: 'events', message: 'or inboxOf is required, and only one of them' })
  }
  if (events) typesMatching(events, 'events')
  if (inboxOf !== null && inboxOf !== 'humans') await userNamed(call, inboxOf, 'inboxOf')
  return { events: events ?? [], inboxOf }
}

/**
 * Checks the url of a webhook that is to be created or changed. It asks name servers, which a transaction must not wait
 * for; the part that needs none is checked once more by what writes it, and every delivery checks the address.
 */
export const checkUrl = async (targets: Targets, { url }: Pick<WebhookPatch, 'url'>): Promise<void> => {
  if (url !== undefined) await targets.check(url)
}

/** What services of webhooks need besides the store. */
interface WebhookDependencies {
  targets: Targets
  secretBox: SecretBox
}

export const createWebhook = async (
  call: Call,
  { targets, secretBox }: WebhookDependencies,
  input: NewWebhook,
): Promise<WebhookWithSecret> => {
  targets.checkText(input.url)
  return changingAsAdmin(call, async (call) => {
    const { tenantId } = call.actor
    checkLasting(call.actor, 'create a webhook')
    const { format = 'standard' } = input
    const source = await checkedSource(call, input)
    const projectId = await idOfProject(call, input.projectId)
    const { count, newest } = await store.lockTenantWebhooks(call.db, tenantId)
    if (count >= webhooksPerTenant) {
      throw new AppError(
        'limit',
        `The tenant already has ${webhooksPerTenant} webhooks, the maximum. Delete one first, or subscribe an existing webhook to more events.`,
      )
    }
    const nowMs = call.clock()
    const webhook = webhookRecord.make(input, {
      id: newId('whk'),
      url: shownUrl(format, input.url),
      ...source,
      projectId,
      // It hears of what comes after its own creation, which is the next event.
      position: newest + 1,
      createdAt: isoTime(nowMs),
      updatedAt: isoTime(nowMs),
    })
    const secret = newSigningSecret()
    await store.insertWebhook(call.db, tenantId, webhook)
    await storeSecret(call, secretBox, webhook.id, secret)
    if (isSecretUrl(format)) await storeUrl(call, secretBox, webhook.id, input.url)
    await recordWebhook(call, 'webhook.created', webhook)
    return { webhook, secret }
  })
}

const deliveryFields = ['url', 'events', 'inboxOf', 'projectId'] as const

export const updateWebhook = async (
  call: Call,
  { targets, secretBox }: WebhookDependencies,
  id: string,
  { projectId: projectRef, url, events, inboxOf, ...patch }: WebhookPatch,
): Promise<Webhook> => {
  if (url !== undefined) targets.checkText(url)
  return changingAsAdmin(call, async (call) => {
    const before = await existingWebhook(call, id, 'forUpdate')
    const projectId = projectRef === undefined ? before.projectId : await idOfProject(call, projectRef)
    const isTurnedOn = patch.active === true && !before.active
    const isSourceGiven = events !== undefined || inboxOf !== undefined
    const hasNewSecretUrl = url !== undefined && isSecretUrl(before.format)
    if (isTurnedOn && isSecretUrl(before.format) && url === undefined) await requireUrl(call, id)
    const wanted: Webhook = {
      ...before,
      ...patch,
      ...(url !== undefined && { url: shownUrl(before.format, url) }),
      ...(isSourceGiven && (await checkedSource(call, { events, inboxOf }))),
      projectId,
      ...(isTurnedOn && { disabledReason: null, failingSince: null }),
    }
    // Of a URL that is not shown nobody is told more than that there is another.
    const changed = { ...changedFields(before, wanted), ...(hasNewSecretUrl && { url: before.url }) }
    if (Object.keys(changed).length === 0) return before
    if (isTurnedOn || deliveryFields.some((field) => field in changed)) {
      checkLasting(call.actor, 'change what a webhook sends, or where')
    }
    const after = { ...wanted, updatedAt: isoTime(call.clock()) }
    await store.updateWebhook(call.db, call.actor.tenantId, after)
    if (hasNewSecretUrl) await storeUrl(call, secretBox, id, url)
    if (isTurnedOn) await store.forgetFailures(call.db, call.actor.tenantId, id)
    await recordWebhook(call, 'webhook.updated', after, changed)
    return after
  })
}

export const deleteWebhook = (call: Call, id: string): Promise<void> =>
  changingAsAdmin(call, async (call) => {
    const webhook = await existingWebhook(call, id, 'forUpdate')
    await store.deleteWebhook(call.db, call.actor.tenantId, id)
    await recordWebhook(call, 'webhook.deleted', webhook)
  })

/** A new secret at once; the old one signs beside it until the overlap is over. */
export const rotateSecret = (
  call: Call,
  { secretBox }: Pick<WebhookDependencies, 'secretBox'>,
  id: string,
  { overlapSeconds = 86_400 }: SecretRotation,
): Promise<WebhookWithSecret> =>
  changingAsAdmin(call, async (call) => {
    const { tenantId } = call.actor
    checkLasting(call.actor, 'rotate the secret of a webhook')
    const nowMs = call.clock()
    const webhook = await existingWebhook(call, id, 'forUpdate')
    const secret = newSigningSecret()
    await store.endSecrets(call.db, tenantId, id, [nowMs, nowMs + overlapSeconds * 1_000])
    await storeSecret(call, secretBox, id, secret)
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
