import type { Actor } from '../actor.js'
import { type Call, changing } from '../call.js'
import { isoTime } from '../clock.js'
import { parseMoment } from '../dates.js'
import type { Sql } from '../db/port.js'
import { AppError, invalid, notFound } from '../errors.js'
import { changedFields, record } from '../events/record.js'
import type { EventType } from '../events/types.js'
import type { PageQuery } from '../fields.js'
import { newId } from '../ids.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../paging.js'
import { projectNamed } from '../projects/service.js'
import { userNamed } from '../users/service.js'
import type { ApiKey, ApiKeyPatch, NewApiKey, Rotation } from './schema.js'
import { hashSecret, newSecret, secretPrefix } from './secret.js'
import * as store from './store.js'

export interface KeyWithSecret {
  apiKey: ApiKey
  secret: string
}

const existing = async (call: Call, id: string, lock?: 'forUpdate'): Promise<ApiKey> => {
  const key = await store.findKey(call.db, call.actor.tenantId, id, lock)
  if (!key) throw notFound(`API key "${id}"`)
  return key
}

const recordKey = (call: Call, type: EventType, key: ApiKey, previous?: object): Promise<void> =>
  record(call, {
    type,
    subject: key.id,
    projectId: '',
    data: JSON.stringify(key),
    previous: previous ? JSON.stringify(previous) : null,
  })

/** Gives the references their ids and the time its UTC form. */
const resolved = async (call: Call, input: ApiKeyPatch): Promise<ApiKeyPatch> => {
  const result = { ...input }
  if (input.projectIds) {
    const ids: string[] = []
    for (const [at, ref] of input.projectIds.entries()) ids.push((await projectNamed(call, ref, `projectIds.${at}`)).id)
    result.projectIds = [...new Set(ids)]
  }
  if (typeof input.userId === 'string') await userNamed(call, input.userId, 'userId')
  if (typeof input.expiresAt === 'string') {
    const moment = parseMoment(input.expiresAt)
    if (!moment) throw invalid({ path: 'expiresAt', message: 'must be a real time with its zone' })
    result.expiresAt = isoTime(moment.ms)
  }
  return result
}

const checkScopes = (key: ApiKey): void => {
  if (key.projectIds && key.scopes.includes('admin')) {
    throw invalid({ path: 'scopes', message: 'cannot hold "admin" on a key that is limited to projects' })
  }
}

/** Only an admin key makes keys, so the one way for another to be stronger is to last longer. */
const checkStrength = (actor: Actor, key: ApiKey): void => {
  const endsMs = key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt)
  if (actor.keyExpiresAt !== null && endsMs > actor.keyExpiresAt) {
    throw new AppError('FORBIDDEN', 'A key that ends cannot make, change or rotate one that lasts longer.', {
      hint: `Set expiresAt to ${isoTime(actor.keyExpiresAt)} or earlier, or use a key that does not end.`,
    })
  }
}

export const getKey = (call: Call, id: string): Promise<ApiKey> => existing(call, id)

export const listKeys = async (call: Call, { limit = 50, cursor }: PageQuery): Promise<Page<ApiKey>> => {
  const { tenantId } = call.actor
  const fingerprint = listFingerprint([tenantId, 'keys'])
  const after =
    cursor === undefined ? undefined : decodeCursor<[number, string]>(cursor, fingerprint, ['integer', 'text'])
  const keys = await store.listKeys(call.db, tenantId, after, limit + 1)
  return pageOf(keys, limit, (last) => encodeCursor(fingerprint, [Date.parse(last.createdAt), last.id]))
}

export const createKey = (call: Call, input: NewApiKey, secret: string = newSecret()): Promise<KeyWithSecret> =>
  changing(call, async (call) => {
    const {
      name,
      scopes,
      projectIds = null,
      userId = null,
      expiresAt = null,
    } = {
      ...input,
      ...(await resolved(call, input)),
    }
    const apiKey: ApiKey = {
      id: newId('key'),
      name,
      prefix: secretPrefix(secret),
      scopes,
      projectIds,
      userId,
      expiresAt,
      createdAt: isoTime(call.clock()),
      lastUsedAt: null,
    }
    checkScopes(apiKey)
    checkStrength(call.actor, apiKey)
    await store.insertKey(call.db, call.actor.tenantId, apiKey)
    await store.insertSecret(call.db, call.actor.tenantId, apiKey.id, hashSecret(secret))
    await recordKey(call, 'key.created', apiKey)
    return { apiKey, secret }
  })

export const updateKey = (call: Call, id: string, patch: ApiKeyPatch): Promise<ApiKey> =>
  changing(call, async (call) => {
    const before = await existing(call, id, 'forUpdate')
    const after: ApiKey = { ...before, ...(await resolved(call, patch)) }
    const changed = changedFields(before, after)
    if (Object.keys(changed).length === 0) return before
    checkScopes(after)
    if (changed.scopes || 'projectIds' in changed || 'expiresAt' in changed) checkStrength(call.actor, after)
    await store.updateKey(call.db, call.actor.tenantId, after)
    await recordKey(call, 'key.updated', after, changed)
    return after
  })

export const revokeKey = (call: Call, id: string): Promise<ApiKey> =>
  changing(call, async (call) => {
    const key = await existing(call, id, 'forUpdate')
    await store.revokeKey(call.db, call.actor.tenantId, id, call.clock())
    await recordKey(call, 'key.revoked', key)
    return key
  })

/** A new secret for the same key; the old one stays good for the overlap. */
export const rotateKey = (call: Call, id: string, { overlapSeconds = 0 }: Rotation): Promise<KeyWithSecret> =>
  changing(call, async (call) => {
    const { tenantId } = call.actor
    const before = await existing(call, id, 'forUpdate')
    checkStrength(call.actor, before)
    const secret = newSecret()
    const apiKey = { ...before, prefix: secretPrefix(secret) }
    await store.endSecrets(call.db, tenantId, id, call.clock() + overlapSeconds * 1000)
    await store.insertSecret(call.db, tenantId, id, hashSecret(secret))
    await store.updateKey(call.db, tenantId, apiKey)
    await recordKey(call, 'key.rotated', apiKey, { prefix: before.prefix })
    return { apiKey, secret }
  })

export const isKnownSecret = async (db: Sql, secret: string): Promise<boolean> =>
  (await store.findSecretOwner(db, hashSecret(secret))) !== undefined

/** Leaves the keys of a user that is being deleted to no one. */
export const releaseUserKeys = async (call: Call, userId: string): Promise<void> => {
  for (const id of await store.keyIdsOf(call.db, call.actor.tenantId, userId))
    await updateKey(call, id, { userId: null })
}
