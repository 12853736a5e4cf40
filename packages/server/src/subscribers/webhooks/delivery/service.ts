import { isoTime } from '../../../base/clock.js'
import { AppError, invalid, notFound } from '../../../base/errors.js'
import { newId, newTimedId } from '../../../base/ids.js'
import { type Page, pagedList } from '../../../base/paging.js'
import { audit } from '../../../changelog/audit/service.js'
import { actorRef } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { changingAsAdmin } from '../../../tenancy/keys/live-key.js'
import { newestSequence, resolveStart } from '../../events/read.js'
import { type LinkTo, testMessage } from '../messages/outgoing.js'
import type { ReplayRequest, Webhook } from '../schema.js'
import { existingWebhook } from '../service.js'
import { setReplay } from '../store.js'
import { announceDeliveries } from './progress-store.js'
import type { Delivery, DeliveryList } from './schema.js'
import * as store from './store.js'

const withoutPayload = ({ payload: _, ...delivery }: store.StoredDelivery): Delivery => delivery

/** A delivery that has not been tried yet. */
export const newDelivery = (
  nowMs: number,
  fields: Pick<store.StoredDelivery, 'webhookId' | 'reason' | 'eventId' | 'type' | 'sequence' | 'payload'>,
): store.StoredDelivery => ({
  id: newTimedId('dlv', nowMs),
  ...fields,
  status: 'pending',
  attempts: 0,
  nextAttemptAt: isoTime(nowMs),
  responseStatus: null,
  responseBody: null,
  error: null,
  durationMs: null,
  createdAt: isoTime(nowMs),
  attemptedAt: null,
})

const activeWebhook = async (call: Call, id: string): Promise<Webhook> => {
  const webhook = await existingWebhook(call, id, 'forUpdate')
  if (webhook.active) return webhook
  throw new AppError('disabled', 'This webhook is disabled.')
}

const enqueue = async (call: Call, delivery: store.StoredDelivery): Promise<Delivery> => {
  const { tenantId } = call.actor
  await store.setDue(call.db, tenantId, delivery.webhookId, call.clock())
  await store.saveDeliveries(call.db, tenantId, delivery.webhookId, [delivery])
  await announceDeliveries(call.db, tenantId, call.clock())
  return withoutPayload(delivery)
}

/** Sends a message that tells of no change, to see whether it arrives. It is tried once. */
export const ping = (call: Call, linkTo: LinkTo, webhookId: string): Promise<Delivery> =>
  changingAsAdmin(call, async (call) => {
    const webhook = await activeWebhook(call, webhookId)
    const nowMs = call.clock()
    const event = {
      id: newId('evt'),
      sequence: null,
      type: 'webhook.ping',
      timestamp: isoTime(nowMs),
      actor: actorRef(call.actor),
      projectId: webhook.projectId,
      data: webhook,
      previous: null,
    }
    const { id: eventId, type, sequence } = event
    const { format } = webhook
    const payload = format === 'standard' ? JSON.stringify(event) : testMessage(format, linkTo)
    await audit(call, 'webhook.pinged', { subject: webhookId })
    return enqueue(call, newDelivery(nowMs, { webhookId, reason: 'ping', eventId, type, sequence, payload }))
  })

const existingDelivery = async (call: Call, webhookId: string, id: string): Promise<store.StoredDelivery> => {
  const delivery = await store.findDelivery(call.db, call.actor.tenantId, webhookId, id)
  if (!delivery) throw notFound('delivery', id)
  return delivery
}

export const getDelivery = async (call: Call, webhookId: string, id: string): Promise<Delivery> => {
  await existingWebhook(call, webhookId)
  return withoutPayload(await existingDelivery(call, webhookId, id))
}

export const listDeliveries = async (call: Call, webhookId: string, query: DeliveryList): Promise<Page<Delivery>> => {
  const { tenantId } = call.actor
  await existingWebhook(call, webhookId)
  const { status } = query
  const page = await pagedList(query, {
    list: [tenantId, 'deliveries', webhookId, status],
    kinds: ['text'],
    read: (before, count) => store.listDeliveries(call.db, tenantId, webhookId, status, before?.[0], count),
    placeOf: ({ id }) => [id],
  })
  return { ...page, items: page.items.map(withoutPayload) }
}

/** The same message once more, as a delivery of its own. */
export const redeliver = (call: Call, webhookId: string, id: string): Promise<Delivery> =>
  changingAsAdmin(call, async (call) => {
    await activeWebhook(call, webhookId)
    const { eventId, type, sequence, payload } = await existingDelivery(call, webhookId, id)
    await audit(call, 'webhook.redelivered', { subject: webhookId, details: { deliveryId: id, eventId } })
    const fields = { webhookId, reason: 'redelivery', eventId, type, sequence, payload } as const
    return enqueue(call, newDelivery(call.clock(), fields))
  })

/** Sends a range of the event log again, alongside new events. */
export const replay = (
  call: Call,
  webhookId: string,
  { fromSequence, toSequence }: ReplayRequest,
): Promise<{ webhookId: string; fromSequence: number; toSequence: number }> =>
  changingAsAdmin(call, async (call) => {
    const { tenantId } = call.actor
    const webhook = await activeWebhook(call, webhookId)
    if (webhook.replay) {
      throw new AppError(
        'replaying',
        `A replay is already running, at sequence ${webhook.replay.position}. Wait until it ends.`,
      )
    }
    const newest = await newestSequence(call.db, tenantId)
    const until = Math.min(toSequence ?? newest, newest)
    if (until < fromSequence) {
      throw invalid({ path: 'fromSequence', message: `must not be after toSequence or the newest event, ${newest}` })
    }
    const after = await resolveStart(call.db, tenantId, fromSequence - 1)
    await setReplay(call.db, tenantId, webhookId, [after, until])
    await audit(call, 'webhook.replayed', { subject: webhookId, details: { fromSequence, toSequence: until } })
    await announceDeliveries(call.db, tenantId, call.clock())
    return { webhookId, fromSequence, toSequence: until }
  })
