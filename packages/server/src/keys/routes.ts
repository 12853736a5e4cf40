import { PageQuery } from '../fields.js'
import { dataOf, deletedBy, listOf, sendData, sendDeleted, sendRecords } from '../http/answers.js'
import { answerOnce, type PostAnswer } from '../http/idempotent.js'
import type { Routes } from '../http/routes.js'
import { ApiKey, ApiKeyPatch, ApiKeyWithSecret, KeyParams, NewApiKey, Rotation } from './schema.js'
import * as keys from './service.js'

const tags = ['API keys']

const withSecret = ({ apiKey, secret }: keys.KeyWithSecret, status: number): PostAnswer => ({
  status,
  headers: { location: `/v1/keys/${apiKey.id}` },
  body: JSON.stringify({ data: { ...apiKey, key: secret } }),
  replayBody: JSON.stringify({ data: { ...apiKey, key: null } }),
})

export const keyRoutes: Routes = (app, { authenticator }) => {
  app.get(
    '/v1/keys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listKeys',
        summary: 'List API keys',
        tags,
        querystring: PageQuery,
        answers: { 200: listOf(ApiKey) },
      },
    },
    async (request, reply) => sendRecords(reply, request.query, await keys.listKeys(request.call, request.query)),
  )

  app.get(
    '/v1/keys/:keyId',
    {
      config: { scope: 'admin', errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'getKey',
        summary: 'Get an API key',
        tags,
        params: KeyParams,
        answers: { 200: dataOf(ApiKey) },
      },
    },
    async (request, reply) => sendData(reply, await keys.getKey(request.call, request.params.keyId)),
  )

  app.post(
    '/v1/keys',
    {
      config: { scope: 'admin', heeds: ['Idempotency-Key'], errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'] },
      schema: {
        operationId: 'createKey',
        summary: 'Create an API key; its secret is shown once',
        tags,
        body: NewApiKey,
        answers: { 201: dataOf(ApiKeyWithSecret) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) => withSecret(await keys.createKey(call, request.body), 201)),
  )

  app.patch(
    '/v1/keys/:keyId',
    {
      config: { scope: 'admin', errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'updateKey',
        summary: 'Change the fields sent',
        tags,
        params: KeyParams,
        body: ApiKeyPatch,
        answers: { 200: dataOf(ApiKey) },
      },
    },
    async (request, reply) => {
      const key = await keys.updateKey(request.call, request.params.keyId, request.body)
      authenticator.forget(key.id)
      return sendData(reply, key)
    },
  )

  app.delete(
    '/v1/keys/:keyId',
    {
      config: { scope: 'admin', errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key at once',
        tags,
        params: KeyParams,
        answers: { 200: deletedBy('id') },
      },
    },
    async (request, reply) => {
      const { id } = await keys.revokeKey(request.call, request.params.keyId)
      authenticator.forget(id)
      return sendDeleted(reply, { id })
    },
  )

  app.post(
    '/v1/keys/:keyId/rotate',
    {
      config: { scope: 'admin', heeds: ['Idempotency-Key'], errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'] },
      schema: {
        operationId: 'rotateKey',
        summary: 'Give an API key a new secret, shown once',
        tags,
        params: KeyParams,
        body: Rotation,
        answers: { 200: dataOf(ApiKeyWithSecret) },
      },
      // Every field has a default, so the body may be left out.
      preValidation: async (request) => {
        request.body ??= {}
      },
    },
    async (request, reply) => {
      const { keyId } = request.params
      await answerOnce(request, reply, async (call) => withSecret(await keys.rotateKey(call, keyId, request.body), 200))
      authenticator.forget(keyId)
      return reply
    },
  )
}
