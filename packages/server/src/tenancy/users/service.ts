import { isoTime } from '../../base/clock.js'
import { AppError, type ErrorDetail, invalid, notFound } from '../../base/errors.js'
import type { PageQuery } from '../../base/fields.js'
import { freeHandle, handleFrom, variantPrefix } from '../../base/handle.js'
import { newId } from '../../base/ids.js'
import { type Page, pagedList } from '../../base/paging.js'
import { audit } from '../../changelog/audit/service.js'
import { changedFields, record } from '../../changelog/record.js'
import { keysTopic } from '../../db/topics.js'
import { type Call, changing } from '../../operations/call.js'
import { checkLasting } from '../../operations/strength.js'
import { type NewUser, type User, type UserPatch, userRecord } from './schema.js'
import * as store from './store.js'

const existing = async (call: Call, id: string): Promise<User> => {
  const user = await findUser(call, id)
  if (!user) throw notFound('user', id)
  return user
}

export const findUser = (call: Call, id: string): Promise<User | undefined> =>
  store.findUser(call.db, call.actor.tenantId, id)

export const getUser = (call: Call, id: string): Promise<User> => existing(call, id)

/** The id of the user with this handle, if there is one. */
export const idOfHandle = async (call: Call, handle: string): Promise<string | undefined> =>
  (await store.idsByHandle(call.db, call.actor.tenantId, [handle])).get(handle)

const unknownDetail = (path: string, id: string): ErrorDetail => ({
  path,
  message: `user "${id}" not found`,
  record: 'user',
})

/** What to say of a reference to a user, if there is none. */
export const unknownUserDetail = async (call: Call, id: string, path: string): Promise<ErrorDetail | undefined> =>
  (await findUser(call, id)) ? undefined : unknownDetail(path, id)

/** The user that a field of a request names. */
export const userNamed = async (call: Call, id: string, path: string): Promise<User> => {
  const user = await findUser(call, id)
  if (!user) throw invalid(unknownDetail(path, id))
  return user
}

export const { humanUserIds, rolesOfUsers } = store

export const namesOfUsers = ({ db, actor }: Call, ids: readonly string[]): Promise<Map<string, string>> =>
  store.namesOfUsers(db, actor.tenantId, ids)

/** The human user with this e-mail address, where exactly one has it. */
export const onlyHumanWithEmail = async ({ db, actor }: Call, email: string): Promise<string | undefined> => {
  const ids = await store.humanIdsByEmail(db, actor.tenantId, email)
  return ids.length === 1 ? ids[0] : undefined
}

export const listUsers = ({ db, actor: { tenantId } }: Call, query: PageQuery): Promise<Page<User>> =>
  pagedList(query, {
    list: [tenantId, 'users'],
    kinds: ['integer', 'text'],
    read: (after, count) => store.listUsers(db, tenantId, after, count),
    placeOf: ({ createdAt, id }) => [Date.parse(createdAt), id],
  })

const handlesLike = async (call: Call, handle: string): Promise<ReadonlySet<string>> =>
  new Set(await store.handlesFrom(call.db, call.actor.tenantId, variantPrefix(handle)))

const refuseTaken = async (call: Call, handle: string): Promise<string> => {
  if (!(await handlesLike(call, handle)).has(handle)) return handle
  throw new AppError('in_use', `The handle "${handle}" is already in use. Choose another handle.`)
}

const handleOfName = async (call: Call, name: string): Promise<string> => {
  const handle = handleFrom(name)
  const taken = await handlesLike(call, handle)
  return freeHandle(handle, (wanted) => taken.has(wanted))
}

const defaultRole = userRecord.fields.role.initial

const roleStrength: Readonly<Record<User['role'], number>> = { none: 0, member: 1, admin: 2 }

/**
 * Throws if a caller whose own key is limited gives a user rights that the user's keys and sessions would have without
 * that limit: a stronger role, an address to sign in with, or the decisions that only people make.
 */
const checkRights = ({ actor }: Call, before: Partial<User> & Pick<User, 'role'>, after: User): void => {
  if (roleStrength[after.role] > roleStrength[before.role]) checkLasting(actor, 'give a user a stronger role')
  if (after.kind !== 'human') return
  if (before.kind === 'agent') checkLasting(actor, 'turn an agent into a person')
  if (after.email !== null && after.email !== before.email) checkLasting(actor, 'set the e-mail address of a person')
}

/** The user's keys may do something else from now on. */
const noteRole = async (call: Call, { id, role }: User, before: User['role'] | undefined): Promise<void> => {
  const details = { role, ...(before !== undefined && { previous: { role: before } }) }
  await audit(call, 'user.role_changed', { subject: id, details })
  call.db.announce(keysTopic(call.actor.tenantId))
}

export const createUser = (call: Call, input: NewUser): Promise<User> =>
  changing(call, async (call) => {
    const nowMs = call.clock()
    const user = userRecord.make(input, {
      id: newId('usr'),
      handle: input.handle === undefined ? await handleOfName(call, input.name) : await refuseTaken(call, input.handle),
      createdAt: isoTime(nowMs),
      updatedAt: isoTime(nowMs),
    })
    checkRights(call, { role: defaultRole }, user)
    await store.insertUser(call.db, call.actor.tenantId, user)
    if (user.role !== defaultRole) await noteRole(call, user, undefined)
    await record(call, { type: 'user.created', subject: user.id, projectId: '', data: JSON.stringify(user) })
    return user
  })

export const updateUser = (call: Call, id: string, patch: UserPatch): Promise<User> =>
  changing(call, async (call) => {
    const before = await existing(call, id)
    const changed = changedFields(before, { ...before, ...patch })
    if (Object.keys(changed).length === 0) return before
    if (changed.handle !== undefined) await refuseTaken(call, patch.handle!)
    const after = { ...before, ...patch, updatedAt: isoTime(call.clock()) }
    checkRights(call, before, after)
    await store.updateUser(call.db, call.actor.tenantId, after)
    if ('role' in changed) await noteRole(call, after, before.role)
    await record(call, {
      type: 'user.updated',
      subject: id,
      projectId: '',
      data: JSON.stringify(after),
      previous: JSON.stringify(changed),
    })
    return after
  })

/**
 * `release` takes the user from whatever refers to them, in the same transaction; `shown` is what the event tells of
 * them.
 */
export const removeUser = (
  call: Call,
  id: string,
  release: (call: Call, user: User) => Promise<void>,
  shown: (user: User) => User = (user) => user,
): Promise<User> =>
  changing(call, async (call) => {
    const user = await existing(call, id)
    await release(call, user)
    await store.deleteUser(call.db, call.actor.tenantId, id)
    await record(call, { type: 'user.deleted', subject: id, projectId: '', data: JSON.stringify(shown(user)) })
    return user
  })

/**
 * Whether a person makes a request: with a key or session of a human user, or, where the key has no user, with a session
 * that a one-time link opened. What comes through MCP is always an agent's.
 */
export const isHuman = async (call: Call): Promise<boolean> => {
  const { actor, origin } = call
  if (origin.via === 'mcp') return false
  if (actor.userId === null) return actor.isByLink === true
  return (await findUser(call, actor.userId))?.kind === 'human'
}
