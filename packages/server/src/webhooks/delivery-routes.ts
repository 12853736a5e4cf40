import { dataOf, listOf, sendData, sendRecords } from '../http/answers.js'
import { answerOnce, type PostAnswer } from '../http/idempotent.js'
import type { Routes } from '../http/routes.js'
import { Delivery, DeliveryParams, DeliveryQuery } from './delivery-schema.js'
import * as deliveries from './delivery-service.js'
import { Replay, ReplayRequest, WebhookParams } from './schema.js'

const tags = ['Webhooks']
const scope = 'admin'
const postErrors = ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'] as const

const accepted = (data: object, location?: string): PostAnswer => ({
  status: 202,
  ...(location !== undefined && { headers: { location } }),
  body: JSON.stringify({ data }),
})

const acceptedDelivery = (delivery: Delivery): PostAnswer =>
  accepted(delivery, `/v1/webhooks/${delivery.webhookId}/deliveries/${delivery.id}`)

export const deliveryRoutes: Routes = (app) => {
  app.get(
    '/v1/webhooks/:webhookId/deliveries',
    {
      config: { scope, errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List what was sent to a webhook, the newest first',
        tags,
        params: WebhookParams,
        querystring: DeliveryQuery,
        answers: { 200: listOf(Delivery) },
      },
    },
    async (request, reply) =>
      sendRecords(
        reply,
        request.query,
        await deliveries.listDeliveries(request.call, request.params.webhookId, request.query),
      ),
  )

  app.get(
    '/v1/webhooks/:webhookId/deliveries/:deliveryId',
    {
      config: { scope, errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'Get a delivery',
        tags,
        params: DeliveryParams,
        answers: { 200: dataOf(Delivery) },
      },
    },
    async (request, reply) => {
      const { webhookId, deliveryId } = request.params
      return sendData(reply, await deliveries.getDelivery(request.call, webhookId, deliveryId))
    },
  )

  app.post(
    '/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    {
      config: { scope, heeds: ['Idempotency-Key'], errors: postErrors },
      schema: {
        operationId: 'redeliverWebhookDelivery',
        summary: 'Send the same message again',
        tags,
        params: DeliveryParams,
        answers: { 202: dataOf(Delivery) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) => {
        const { webhookId, deliveryId } = request.params
        return acceptedDelivery(await deliveries.redeliver(call, webhookId, deliveryId))
      }),
  )

  app.post(
    '/v1/webhooks/:webhookId/ping',
    {
      config: { scope, heeds: ['Idempotency-Key'], errors: postErrors },
      schema: {
        operationId: 'pingWebhook',
        summary: 'Send a message that tells of no change',
        tags,
        params: WebhookParams,
        answers: { 202: dataOf(Delivery) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) =>
        acceptedDelivery(await deliveries.ping(call, request.params.webhookId)),
      ),
  )

  app.post(
    '/v1/webhooks/:webhookId/replay',
    {
      config: { scope, heeds: ['Idempotency-Key'], errors: [...postErrors, 'GONE'] },
      schema: {
        operationId: 'replayWebhook',
        summary: 'Send a stretch of the log again, beside what is new',
        tags,
        params: WebhookParams,
        body: ReplayRequest,
        answers: { 202: dataOf(Replay) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) =>
        accepted(await deliveries.replay(call, request.params.webhookId, request.body)),
      ),
  )
}
