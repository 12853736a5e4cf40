import { PageQuery } from '../fields.js'
import { dataOf, deletedBy, listOf, sendData, sendDeleted, sendRecords } from '../http/answers.js'
import { answerOnce, type PostAnswer } from '../http/idempotent.js'
import type { Routes } from '../http/routes.js'
import { NewWebhook, SecretRotation, Webhook, WebhookParams, WebhookPatch, WebhookWithSecret } from './schema.js'
import * as webhooks from './service.js'

const tags = ['Webhooks']
const scope = 'admin'

const withSecret = ({ webhook, secret }: webhooks.WebhookWithSecret, status: number): PostAnswer => ({
  status,
  headers: { location: `/v1/webhooks/${webhook.id}` },
  body: JSON.stringify({ data: { ...webhook, secret } }),
  replayBody: JSON.stringify({ data: { ...webhook, secret: null } }),
})

export const webhookRoutes: Routes = (app, { targets }) => {
  app.get(
    '/v1/webhooks',
    {
      config: { scope },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        tags,
        querystring: PageQuery,
        answers: { 200: listOf(Webhook) },
      },
    },
    async (request, reply) =>
      sendRecords(reply, request.query, await webhooks.listWebhooks(request.call, request.query)),
  )

  app.get(
    '/v1/webhooks/:webhookId',
    {
      config: { scope, errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        tags,
        params: WebhookParams,
        answers: { 200: dataOf(Webhook) },
      },
    },
    async (request, reply) => sendData(reply, await webhooks.existingWebhook(request.call, request.params.webhookId)),
  )

  app.post(
    '/v1/webhooks',
    {
      config: { scope, heeds: ['Idempotency-Key'], errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'] },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook; its secret is shown once',
        tags,
        body: NewWebhook,
        answers: { 201: dataOf(WebhookWithSecret) },
      },
    },
    async (request, reply) => {
      await targets.check(request.body.url)
      return answerOnce(request, reply, async (call) =>
        withSecret(await webhooks.createWebhook(call, request.body), 201),
      )
    },
  )

  app.patch(
    '/v1/webhooks/:webhookId',
    {
      config: { scope, errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change the fields sent',
        tags,
        params: WebhookParams,
        body: WebhookPatch,
        answers: { 200: dataOf(Webhook) },
      },
    },
    async (request, reply) => {
      if (request.body.url !== undefined) await targets.check(request.body.url)
      return sendData(reply, await webhooks.updateWebhook(request.call, request.params.webhookId, request.body))
    },
  )

  app.delete(
    '/v1/webhooks/:webhookId',
    {
      config: { scope, errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        tags,
        params: WebhookParams,
        answers: { 200: deletedBy('id') },
      },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      await webhooks.deleteWebhook(request.call, webhookId)
      return sendDeleted(reply, { id: webhookId })
    },
  )

  app.post(
    '/v1/webhooks/:webhookId/rotate-secret',
    {
      config: { scope, heeds: ['Idempotency-Key'], errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'] },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Give a webhook a new secret, shown once',
        tags,
        params: WebhookParams,
        body: SecretRotation,
        answers: { 200: dataOf(WebhookWithSecret) },
      },
      // Every field has a default, so the body may be left out.
      preValidation: async (request) => {
        request.body ??= {}
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) =>
        withSecret(await webhooks.rotateSecret(call, request.params.webhookId, request.body), 200),
      ),
  )
}
