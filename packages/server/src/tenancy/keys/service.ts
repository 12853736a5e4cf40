import { isoTime } from '../../base/clock.js'
import { parseMoment } from '../../base/dates.js'
import { AppError, invalid, notFound } from '../../base/errors.js'
import type { PageQuery } from '../../base/fields.js'
import { newId } from '../../base/ids.js'
import { type Page, pagedList } from '../../base/paging.js'
import type { Person } from '../../base/person.js'
import { hashSecret, newSecret, secretPrefix } from '../../base/secret.js'
import { audit } from '../../changelog/audit/service.js'
import type { EventType } from '../../changelog/event-types.js'
import { changedFields, record } from '../../changelog/record.js'
import type { Sql } from '../../db/port.js'
import { keysTopic, pausesTopic } from '../../db/topics.js'
import { overQuota } from '../../limits/quotas/over-quota.js'
import { type Call, changing } from '../../operations/call.js'
import type { Hooks } from '../../operations/hooks.js'
import { checkStrength } from '../../operations/strength.js'
import { pausedAfter } from '../pauses/service.js'
import { listPrivateProjects, setMember } from '../projects/members/service.js'
import { projectNamed } from '../projects/service.js'
import type { User } from '../users/schema.js'
import { createUser, findUser, userNamed } from '../users/service.js'
import { changingAsAdmin } from './live-key.js'
import { keyProblems } from './problems.js'
import { type ApiKey, type ApiKeyPatch, keyRecord, type NewApiKey, type Rotation } from './schema.js'
import { endSessionsOfRevoked, endSessionsOfRotated } from './sessions/ending.js'
import * as store from './store.js'

export interface KeyWithSecret {
  apiKey: ApiKey
  secret: string
}

const existing = async (call: Call, id: string, lock?: 'forUpdate'): Promise<ApiKey> => {
  const key = await store.findKey(call.db, call.actor.tenantId, id, lock)
  if (!key) throw notFound('API key', id)
  return key
}

type KeyEvent = Extract<EventType, `key.${string}`>

const recordKey = async (call: Call, type: KeyEvent, key: ApiKey, previous?: object): Promise<void> => {
  const { id, createdAt, lastUsedAt, ...audited } = key
  await audit(call, type, { subject: id, details: { ...audited, ...(previous && { previous }) } })
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
const resolved = async <T extends Partial<NewApiKey>>(call: Call, input: T): Promise<T> => {
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

/** The scope admin does nothing on a key whose user has another role. A user who loses the role keeps such keys. */
const checkRole = async (call: Call, { scopes, userId }: ApiKey, isNewUser = false): Promise<void> => {
  if (!scopes.includes('admin') || (userId === null && !isNewUser)) return
  const user = userId === null ? undefined : await findUser(call, userId)
  if (user?.role === 'admin') return
  const message = 'cannot hold "admin" on a key of a user without the role admin; give the user that role first'
  throw invalid({ path: 'scopes', message })
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

export const setLastUsed = store.setLastUsed

export const countKeys = (db: Sql, tenantId: string): Promise<number> => store.countKeys(db, tenantId)

/** Whether there is or was such a key. */
export const isKeyKnown = ({ db, actor }: Call, id: string): Promise<boolean> => store.hasKey(db, actor.tenantId, id)

export const getKey = (call: Call, id: string): Promise<ApiKey> => existing(call, id)

/** A key that nobody else changes until the transaction ends. */
export const lockKey = (call: Call, id: string): Promise<ApiKey> => existing(call, id, 'forUpdate')

export const listKeys = ({ db, actor: { tenantId } }: Call, query: PageQuery): Promise<Page<ApiKey>> =>
  pagedList(query, {
    list: [tenantId, 'keys'],
    kinds: ['integer', 'text'],
    read: (after, count) => store.listKeys(db, tenantId, after, count),
    placeOf: ({ createdAt, id }) => [Date.parse(createdAt), id],
  })

/** The user that is created with a key: a member of the private projects that the key is for. */
const createKeyUser = async (
  call: Call,
  user: NonNullable<NewApiKey['user']>,
  projectIds: readonly string[],
): Promise<string> => {
  const { id } = await createUser(call, { kind: 'agent', ...user })
  // The new user can act only with this key, whose limits are checked.
  const given = { ...call, actor: { ...call.actor, keyExpiresAt: null, allowedAddresses: null } }
  const privateIds = await listPrivateProjects(call.db, call.actor.tenantId)
  for (const projectId of projectIds)
    if (privateIds.includes(projectId)) await setMember(given, projectId, id, 'member')
  return id
}

export const createKey = (call: Call, input: NewApiKey, secret: string = newSecret()): Promise<KeyWithSecret> =>
  changingAsAdmin(call, async (call) => {
    const { user, ...fields } = await resolved(call, input)
    const apiKey = keyRecord.make(fields, {
      id: newId('key'),
      prefix: secretPrefix(secret),
      createdAt: isoTime(call.clock()),
    })
    checkScopes(apiKey)
    await checkRole(call, apiKey, user !== undefined)
    checkStrength(call.actor, apiKey)
    checkLifetime(call, apiKey)
    await checkKeyCount(call)
    if (user) apiKey.userId = await createKeyUser(call, user, apiKey.projectIds ?? [])
    await store.insertKey(call.db, call.actor.tenantId, apiKey)
    await store.insertSecret(call.db, call.actor.tenantId, apiKey.id, hashSecret(secret))
    await recordKey(call, 'key.created', apiKey)
    return { apiKey, secret }
  })

/** The key of a user who signs in. It has no secret, and the scopes of the user's role. */
export const createSignInKey = (call: Call, user: Pick<User, 'id' | 'name'>): Promise<string> =>
  changing(call, async (call) => {
    const id = newId('key')
    const apiKey = keyRecord.make(
      { name: user.name, scopes: [], userId: user.id },
      { id, prefix: store.noPrefix, createdAt: isoTime(call.clock()) },
    )
    await store.insertKey(call.db, call.actor.tenantId, apiKey)
    await recordKey(call, 'key.created', await existing(call, id))
    return id
  })

export const findSignInKey = ({ db, actor }: Call, userId: string): ReturnType<typeof store.findSignInKey> =>
  store.findSignInKey(db, actor.tenantId, userId)

/** A key without a secret is its user's alone, and has the scopes of their role. */
export const refuseWithoutSecret = ({ prefix }: ApiKey): void => {
  if (prefix !== store.noPrefix) return
  throw new AppError(
    'no_secret',
    'This key has no secret: its user signs in. Create another key for the user instead.',
    {},
  )
}

/** Of a key without a secret. */
const fixedFields = ['scopes', 'projectIds', 'userId'] as const

const strengthFields = ['scopes', 'projectIds', 'userId', 'expiresAt', 'allowedAddresses'] as const

export const updateKey = (call: Call, hooks: Hooks, id: string, patch: ApiKeyPatch): Promise<ApiKey> =>
  changingAsAdmin(call, async (call) => {
    const before = await existing(call, id, 'forUpdate')
    const { paused: pause, ...fields } = await resolved(call, patch)
    const after: ApiKey = { ...before, ...fields, paused: pausedAfter(call, before.paused, pause) }
    const { paused, ...changed } = changedFields(before, after)
    if (paused === undefined && Object.keys(changed).length === 0) return before
    if (fixedFields.some((field) => field in changed)) refuseWithoutSecret(before)
    checkScopes(after)
    if ('scopes' in changed || 'userId' in changed) await checkRole(call, after)
    if (strengthFields.some((field) => field in changed)) checkStrength(call.actor, after)
    if ('expiresAt' in changed) checkLifetime(call, after)
    await store.updateKey(call.db, call.actor.tenantId, after)
    if ('expiresAt' in changed && after.expiresAt !== null) {
      await hooks.keyExpiryChanged(call, id, Date.parse(after.expiresAt))
    }
    if (Object.keys(changed).length > 0) await recordKey(call, 'key.updated', after, changed)
    if (paused !== undefined) {
      await recordKey(call, after.paused ? 'key.paused' : 'key.resumed', after, { paused })
      call.db.announce(pausesTopic(call.actor.tenantId))
    }
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
  changingAsAdmin(call, async (call) => {
    const key = await existing(call, id, 'forUpdate')
    await endKey(call, hooks, key)
    return key
  })

/** A new secret for the same key; the old one stays good for the overlap. */
export const rotateKey = (call: Call, id: string, { overlapSeconds = 0 }: Rotation): Promise<KeyWithSecret> =>
  changingAsAdmin(call, async (call) => {
    const { tenantId } = call.actor
    const before = await existing(call, id, 'forUpdate')
    refuseWithoutSecret(before)
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

/** Revokes the keys of a user that is being deleted, which ends their sessions and claims. */
export const revokeUserKeys = async (call: Call, hooks: Hooks, userId: string): Promise<void> => {
  for (const id of await store.keyIdsOf(call.db, call.actor.tenantId, userId))
    await endKey(call, hooks, await lockKey(call, id))
}

/** Takes a person out of the names of their keys: the audit log names a key that is refused. */
export const eraseFromKeys = (call: Call, person: Person): Promise<void> =>
  changing(call, async ({ db, actor: { tenantId } }) => {
    for (const { id, name } of await store.namesOfUserKeys(db, tenantId, person.id)) {
      const redacted = JSON.parse(person.redacted(JSON.stringify({ userId: person.id, name }))) as { name: string }
      if (redacted.name !== name) await store.renameKey(db, tenantId, id, redacted.name)
    }
    db.announce(keysTopic(tenantId))
  })
