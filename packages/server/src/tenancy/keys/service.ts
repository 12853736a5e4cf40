import { isoTime } from '../../base/clock.js'
import { parseMoment } from '../../base/dates.js'
import { AppError, invalid, notFound } from '../../base/errors.js'
import type { PageQuery } from '../../base/fields.js'
import { newId } from '../../base/ids.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../../base/paging.js'
import { hashSecret, newSecret, secretPrefix } from '../../base/secret.js'
import { audit } from '../../changelog/audit/service.js'
import type { EventType } from '../../changelog/event-types.js'
import { changedFields, record } from '../../changelog/record.js'
import type { Sql } from '../../db/port.js'
import { keysTopic } from '../../db/topics.js'
import { overQuota } from '../../limits/quotas/over-quota.js'
import type { Actor } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { Hooks } from '../../operations/hooks.js'
import { projectNamed } from '../projects/service.js'
import { userNamed } from '../users/service.js'
import { areWithin } from './address-ranges.js'
import { keyProblems } from './inspect.js'
import { changingWithLiveKey } from './live-key.js'
import type { ApiKey, ApiKeyPatch, NewApiKey, Rotation } from './schema.js'
import { endSessionsOfRevoked, endSessionsOfRotated } from './sessions/end-with-key.js'
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

type KeyEvent = Extract<EventType, `key.${string}`>

/** What the log tells of a key for longer than events are kept. */
const auditedFields = ({ name, prefix, scopes, projectIds, userId, expiresAt, allowedAddresses }: ApiKey) => ({
  name,
  prefix,
  scopes,
  projectIds,
  userId,
  expiresAt,
  allowedAddresses,
})

const recordKey = async (call: Call, type: KeyEvent, key: ApiKey, previous?: object): Promise<void> => {
  await audit(call, type, {
    subject: key.id,
    details: { ...auditedFields(key), ...(previous && { previous }) },
  })
  await record(call, {
    type,
    subject: key.id,
    projectId: '',
    data: JSON.stringify(key),
    previous: previous ? JSON.stringify(previous) : null,
  })
  call.db.announce(keysTopic(call.actor.tenantId))
}

/** Gives the references their ids and the time its UTC form. */
const resolved = async (call: Call, input: ApiKeyPatch): Promise<ApiKeyPatch> => {
  const problems = await keyProblems(call, input)
  if (problems.length > 0) throw invalid(...problems)
  const result = { ...input }
  if (typeof input.expiresAt === 'string') result.expiresAt = isoTime(parseMoment(input.expiresAt)!.ms)
  if (input.projectIds) {
    const ids: string[] = []
    for (const [at, ref] of input.projectIds.entries()) ids.push((await projectNamed(call, ref, `projectIds.${at}`)).id)
    result.projectIds = [...new Set(ids)]
  }
  if (typeof input.userId === 'string') await userNamed(call, input.userId, 'userId')
  return result
}

const checkScopes = (key: ApiKey): void => {
  if (key.projectIds && key.scopes.includes('admin')) {
    throw invalid({ path: 'scopes', message: 'cannot hold "admin" on a key that is limited to projects' })
  }
}

/** Only an admin key makes keys, so another can be stronger only by lasting longer or by being usable from elsewhere. */
export const checkStrength = (actor: Actor, key: ApiKey): void => {
  const endsMs = key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt)
  if (actor.keyExpiresAt !== null && endsMs > actor.keyExpiresAt) {
    throw new AppError('FORBIDDEN', 'A key that ends cannot make, change or rotate one that lasts longer.', {
      hint: `Set expiresAt to ${isoTime(actor.keyExpiresAt)} or earlier, or use a key that does not end.`,
    })
  }
  if (!areWithin(actor.allowedAddresses ?? null, key.allowedAddresses)) {
    throw new AppError(
      'FORBIDDEN',
      'A key that is limited to addresses cannot make, change or rotate one that may be used from others.',
      { hint: `Set allowedAddresses to addresses within ${actor.allowedAddresses!.join(', ')}.` },
    )
  }
}

const dayMs = 86_400_000

const checkLifetime = ({ plan, clock }: Call, { expiresAt }: ApiKey): void => {
  const days = plan?.maxKeyDays
  if (!days) return
  const latestMs = clock() + days * dayMs
  if (expiresAt !== null && Date.parse(expiresAt) <= latestMs) return
  const message =
    expiresAt === null
      ? `is required: on this plan a key lasts at most ${days} days`
      : `must be ${isoTime(latestMs)} or earlier: on this plan a key lasts at most ${days} days`
  throw invalid({ path: 'expiresAt', message })
}

const checkKeyCount = async ({ db, actor, plan }: Call): Promise<void> => {
  const limit = plan?.keys
  if (!limit) return
  const used = await store.countKeys(db, actor.tenantId, 'forUpdate')
  if (used >= limit) throw overQuota('keys', limit, used)
}

export const countKeys = (db: Sql, tenantId: string): Promise<number> => store.countKeys(db, tenantId)

/** Whether there is or was such a key. */
export const isKeyKnown = ({ db, actor }: Call, id: string): Promise<boolean> => store.hasKey(db, actor.tenantId, id)

export const getKey = (call: Call, id: string): Promise<ApiKey> => existing(call, id)

/** A key that nobody else changes until the transaction ends. */
export const lockKey = (call: Call, id: string): Promise<ApiKey> => existing(call, id, 'forUpdate')

export const listKeys = async (call: Call, { limit = 50, cursor }: PageQuery): Promise<Page<ApiKey>> => {
  const { tenantId } = call.actor
  const fingerprint = listFingerprint([tenantId, 'keys'])
  const after =
    cursor === undefined ? undefined : decodeCursor<[number, string]>(cursor, fingerprint, ['integer', 'text'])
  const keys = await store.listKeys(call.db, tenantId, after, limit + 1)
  return pageOf(keys, limit, (last) => encodeCursor(fingerprint, [Date.parse(last.createdAt), last.id]))
}

export const createKey = (call: Call, input: NewApiKey, secret: string = newSecret()): Promise<KeyWithSecret> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const {
      name,
      scopes,
      projectIds = null,
      userId = null,
      expiresAt = null,
      allowedAddresses = null,
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
      allowedAddresses,
      createdAt: isoTime(call.clock()),
      lastUsedAt: null,
    }
    checkScopes(apiKey)
    checkStrength(call.actor, apiKey)
    checkLifetime(call, apiKey)
    await checkKeyCount(call)
    await store.insertKey(call.db, call.actor.tenantId, apiKey)
    await store.insertSecret(call.db, call.actor.tenantId, apiKey.id, hashSecret(secret))
    await recordKey(call, 'key.created', apiKey)
    return { apiKey, secret }
  })

const strengthFields = ['scopes', 'projectIds', 'expiresAt', 'allowedAddresses'] as const

export const updateKey = (call: Call, hooks: Hooks, id: string, patch: ApiKeyPatch): Promise<ApiKey> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const before = await existing(call, id, 'forUpdate')
    const after: ApiKey = { ...before, ...(await resolved(call, patch)) }
    const changed = changedFields(before, after)
    if (Object.keys(changed).length === 0) return before
    checkScopes(after)
    if (strengthFields.some((field) => field in changed)) checkStrength(call.actor, after)
    if ('expiresAt' in changed) checkLifetime(call, after)
    await store.updateKey(call.db, call.actor.tenantId, after)
    if ('expiresAt' in changed && after.expiresAt !== null) {
      await hooks.keyExpiryChanged(call, id, Date.parse(after.expiresAt))
    }
    await recordKey(call, 'key.updated', after, changed)
    return after
  })

/** Revokes a key whose row this transaction has locked. */
export const endKey = async (call: Call, hooks: Hooks, key: ApiKey): Promise<void> => {
  await store.revokeKey(call.db, call.actor.tenantId, key.id, call.clock())
  await hooks.keyRevoked(call, key.id)
  await endSessionsOfRevoked(call, key.id)
  await recordKey(call, 'key.revoked', key)
}

export const revokeKey = (call: Call, hooks: Hooks, id: string): Promise<ApiKey> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const key = await existing(call, id, 'forUpdate')
    await endKey(call, hooks, key)
    return key
  })

/** A new secret for the same key; the old one stays good for the overlap. */
export const rotateKey = (call: Call, id: string, { overlapSeconds = 0 }: Rotation): Promise<KeyWithSecret> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const { tenantId } = call.actor
    const before = await existing(call, id, 'forUpdate')
    checkStrength(call.actor, before)
    const secret = newSecret()
    const apiKey = { ...before, prefix: secretPrefix(secret) }
    const oldEndsAtMs = call.clock() + overlapSeconds * 1000
    await store.endSecrets(call.db, tenantId, id, oldEndsAtMs)
    await endSessionsOfRotated(call, id, oldEndsAtMs)
    await store.insertSecret(call.db, tenantId, id, hashSecret(secret))
    await store.updateKey(call.db, tenantId, apiKey)
    await recordKey(call, 'key.rotated', apiKey, { prefix: before.prefix })
    return { apiKey, secret }
  })

/** The oldest admin key that can be used from anywhere now. */
export const findAdminKey = ({ db, actor, clock }: Call): Promise<ApiKey | undefined> =>
  store.findAdminKey(db, actor.tenantId, clock())

/** Whose key it is, whatever has become of it. */
export const keyOwner = (db: Sql, tenantId: string, id: string): Promise<store.SecretOwner | undefined> =>
  store.findKeyOwner(db, tenantId, id)

export const isKnownSecret = async (db: Sql, secret: string): Promise<boolean> =>
  (await store.findSecretOwner(db, hashSecret(secret))) !== undefined

/** Leaves the keys of a user that is being deleted to no one. */
export const releaseUserKeys = async (call: Call, hooks: Hooks, userId: string): Promise<void> => {
  for (const id of await store.keyIdsOf(call.db, call.actor.tenantId, userId))
    await updateKey(call, hooks, id, { userId: null })
}
