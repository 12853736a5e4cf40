import { Type } from 'typebox'
import { PageQuery } from '../../base/fields.js'
import { operation } from '../../operations/operation.js'
import { created, data, dataOf, listOf, records } from '../../operations/result.js'
import { NewUser, User, UserId, UserPatch } from './schema.js'
import * as users from './service.js'

const subject = 'Users'

export const listUsers = operation({
  name: 'listUsers',
  summary: 'List users',
  subject,
  kind: 'read',
  changesOnlyOnCommit: () => true,
  input: PageQuery,
  output: listOf(User),
  run: async (call, input) => records(input, await users.listUsers(call, input)),
})

export const getUser = operation({
  name: 'getUser',
  summary: 'Get a user',
  subject,
  kind: 'read',
  input: Type.Object({ userId: UserId }),
  output: dataOf(User),
  errors: ['NOT_FOUND'],
  run: async (call, { userId }) => data(await users.getUser(call, userId)),
})

export const createUser = operation({
  name: 'createUser',
  summary: 'Create a user',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ user: NewUser }),
  output: dataOf(User),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { user }) => created(await users.createUser(call, user)),
})

export const updateUser = operation({
  name: 'updateUser',
  summary: 'Update a user',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ userId: UserId, patch: UserPatch }),
  output: dataOf(User),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, { userId, patch }) => data(await users.updateUser(call, userId, patch)),
})
