import { Type } from 'typebox'
import { PageQuery } from '../../base/fields.js'
import { toJson } from '../../base/json.js'
import { operation } from '../../operations/operation.js'
import { data, dataOf, deleted, deletedBy, listOf, type Result, records } from '../../operations/result.js'
import { NewWebhook, SecretRotation, Webhook, WebhookId, WebhookPatch, WebhookWithSecret } from './schema.js'
import * as webhooks from './service.js'

const subject = 'Webhooks'
const scope = 'admin'

const withSecret = ({ webhook, secret }: webhooks.WebhookWithSecret): Result => ({
  id: webhook.id,
  data: toJson({ ...webhook, secret }),
  replayData: toJson({ ...webhook, secret: null }),
})

export const listWebhooks = operation({
  name: 'listWebhooks',
  summary: 'List webhooks',
  subject,
  kind: 'read',
  scope,
  input: PageQuery,
  output: listOf(Webhook),
  run: async (call, input) => records(input, await webhooks.listWebhooks(call, input)),
})

export const getWebhook = operation({
  name: 'getWebhook',
  summary: 'Get a webhook',
  subject,
  kind: 'read',
  scope,
  input: Type.Object({ webhookId: WebhookId }),
  output: dataOf(Webhook),
  errors: ['NOT_FOUND'],
  run: async (call, { webhookId }) => data(await webhooks.existingWebhook(call, webhookId)),
})

export const createWebhook = operation({
  name: 'createWebhook',
  summary: 'Create a webhook; its secret is shown only once',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhook: NewWebhook }),
  output: dataOf(WebhookWithSecret),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  prepare: (call, { webhook }) => webhooks.checkUrl(call.core.targets, webhook),
  run: async (call, { webhook }) => ({
    ...withSecret(await webhooks.createWebhook(call, call.core, webhook)),
    isCreated: true,
  }),
})

export const updateWebhook = operation({
  name: 'updateWebhook',
  summary: 'Update a webhook',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhookId: WebhookId, patch: WebhookPatch }),
  output: dataOf(Webhook),
  errors: ['NOT_FOUND', 'CONFLICT'],
  prepare: (call, { patch }) => webhooks.checkUrl(call.core.targets, patch),
  run: async (call, { webhookId, patch }) => data(await webhooks.updateWebhook(call, call.core, webhookId, patch)),
})

export const deleteWebhook = operation({
  name: 'deleteWebhook',
  summary: 'Delete a webhook',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhookId: WebhookId }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND'],
  run: async (call, { webhookId }) => {
    await webhooks.deleteWebhook(call, webhookId)
    return deleted({ id: webhookId })
  },
})

export const rotateWebhookSecret = operation({
  name: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook; the new one is shown only once',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ webhookId: WebhookId, rotation: Type.Optional(SecretRotation) }),
  output: dataOf(WebhookWithSecret),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { webhookId, rotation = {} }) =>
    withSecret(await webhooks.rotateSecret(call, call.core, webhookId, rotation)),
})
