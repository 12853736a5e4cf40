import { Type } from 'typebox'
import { PageQuery } from '../../base/fields.js'
import { toJson } from '../../base/json.js'
import { operation } from '../../operations/operation.js'
import { data, dataOf, deleted, deletedBy, listOf, type Result, records } from '../../operations/result.js'
import { revokeSecret as endBySecret } from './revoke-secret.js'
import { ApiKey, ApiKeyPatch, ApiKeyWithSecret, KeyId, LeakedKey, NewApiKey, Rotation } from './schema.js'
import * as keys from './service.js'

const subject = 'API keys'
const scope = 'admin'

const withSecret = ({ apiKey, secret }: keys.KeyWithSecret): Result => ({
  id: apiKey.id,
  data: toJson({ ...apiKey, key: secret }),
  replayData: toJson({ ...apiKey, key: null }),
})

export const listKeys = operation({
  name: 'listKeys',
  summary: 'List API keys',
  subject,
  kind: 'read',
  scope,
  input: PageQuery,
  output: listOf(ApiKey),
  run: async (call, input) => records(input, await keys.listKeys(call, input)),
})

export const getKey = operation({
  name: 'getKey',
  summary: 'Get an API key',
  subject,
  kind: 'read',
  scope,
  input: Type.Object({ keyId: KeyId }),
  output: dataOf(ApiKey),
  errors: ['NOT_FOUND'],
  run: async (call, { keyId }) => data(await keys.getKey(call, keyId)),
})

export const createKey = operation({
  name: 'createKey',
  summary: 'Create an API key; its secret is shown once',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ apiKey: NewApiKey }),
  output: dataOf(ApiKeyWithSecret),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { apiKey }) => ({ ...withSecret(await keys.createKey(call, apiKey)), isCreated: true }),
})

export const updateKey = operation({
  name: 'updateKey',
  summary: 'Change the fields sent',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ keyId: KeyId, patch: ApiKeyPatch }),
  output: dataOf(ApiKey),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, { keyId, patch }) => data(await keys.updateKey(call, call.core.hooks, keyId, patch)),
})

export const revokeKey = operation({
  name: 'revokeKey',
  summary: 'Revoke an API key at once',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ keyId: KeyId }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND'],
  run: async (call, { keyId }) => {
    const { id } = await keys.revokeKey(call, call.core.hooks, keyId)
    return deleted({ id })
  },
})

export const rotateKey = operation({
  name: 'rotateKey',
  summary: 'Give an API key a new secret, shown once',
  subject,
  kind: 'write',
  scope,
  input: Type.Object({ keyId: KeyId, rotation: Type.Optional(Rotation) }),
  output: dataOf(ApiKeyWithSecret),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { keyId, rotation = {} }) => withSecret(await keys.rotateKey(call, keyId, rotation)),
})

export const revokeSecret = operation({
  name: 'revokeSecret',
  summary: 'Revoke a leaked API key by its secret, at once; the answer is the same for a key that does not exist',
  subject,
  kind: 'write',
  isOpen: true,
  input: Type.Object({ leaked: LeakedKey }),
  output: dataOf(Type.Object({ revoked: Type.Literal(true) })),
  run: async (call, { leaked }) => {
    await endBySecret(call, call.core.hooks, leaked.key)
    return data({ revoked: true })
  },
})
