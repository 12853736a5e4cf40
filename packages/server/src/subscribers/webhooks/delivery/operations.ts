import { Type } from 'typebox'
import { toJson } from '../../../base/json.js'
import { operation } from '../../../operations/operation.js'
import { data, dataOf, listOf, type Result, records } from '../../../operations/result.js'
import { createLinkTo } from '../messages/outgoing.js'
import { Replay, ReplayRequest, WebhookId } from '../schema.js'
import { Delivery, DeliveryId, DeliveryList } from './schema.js'
import * as deliveries from './service.js'

const subject = 'Webhooks'
const scope = 'admin'
const errors = ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'] as const

const accepted = (delivery: Delivery): Result => ({ data: toJson(delivery), id: delivery.id })

export const listWebhookDeliveries = operation({
  name: 'listWebhookDeliveries',
  summary: 'List deliveries of a webhook, newest first',
  subject,
  kind: 'read',
  scope,
  input: Type.Object({ webhookId: WebhookId, ...DeliveryList.properties }),
  output: listOf(Delivery),
  errors: ['NOT_FOUND'],
  run: async (call, { webhookId, ...input }) => records(input, await deliveries.listDeliveries(call, webhookId, input)),
})

export const getWebhookDelivery = operation({
  name: 'getWebhookDelivery',
  summary: 'Get a delivery',
  subject,
  kind: 'read',
  scope,
  input: Type.Object({ webhookId: WebhookId, deliveryId: DeliveryId }),
  output: dataOf(Delivery),
  errors: ['NOT_FOUND'],
  run: async (call, { webhookId, deliveryId }) => data(await deliveries.getDelivery(call, webhookId, deliveryId)),
})

export const redeliverWebhookDelivery = operation({
  name: 'redeliverWebhookDelivery',
  summary: 'Redeliver a message',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhookId: WebhookId, deliveryId: DeliveryId }),
  output: dataOf(Delivery),
  errors,
  run: async (call, { webhookId, deliveryId }) => accepted(await deliveries.redeliver(call, webhookId, deliveryId)),
})

export const pingWebhook = operation({
  name: 'pingWebhook',
  summary: 'Send a test message',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhookId: WebhookId }),
  output: dataOf(Delivery),
  errors,
  run: async (call, { webhookId }) => accepted(await deliveries.ping(call, createLinkTo(call.core.config), webhookId)),
})

export const replayWebhook = operation({
  name: 'replayWebhook',
  summary: 'Replay a range of the event log',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhookId: WebhookId, range: ReplayRequest }),
  output: dataOf(Replay),
  errors: [...errors, 'GONE'],
  run: async (call, { webhookId, range }) => data(await deliveries.replay(call, webhookId, range)),
})
