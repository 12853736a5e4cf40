import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  CreateUserBody,
  DeleteUserQuery,
  ListUsersAnswer,
  ListUsersQuery,
  UpdateUserBody,
  User,
} from '../types.gen.js'

export interface UserDeleteOptions extends CallOptions, DeleteUserQuery {}

export const createUsers = (transport: Transport) => ({
  create: (user: CreateUserBody, options: PostOptions = {}): Promise<User> =>
    transport.fetchData({ method: 'POST', path: '/v1/users', body: user, ...options }),
  get: async (id: string, options: CallOptions = {}): Promise<User> =>
    transport.fetchData({ method: 'GET', path: recordPath('users', id), ...options }),
  list: (query: ListUsersQuery = {}, options: CallOptions = {}): Listing<ListUsersAnswer> =>
    createListing(transport, '/v1/users', query, options),
  update: async (id: string, changes: UpdateUserBody, options: CallOptions = {}): Promise<User> =>
    transport.fetchData({ method: 'PATCH', path: recordPath('users', id), body: changes, ...options }),
  /** Their keys are revoked and their tasks unassigned. With `erase`, their name and email also go from all that tells of the past. */
  delete: async (id: string, { erase, ...options }: UserDeleteOptions = {}) =>
    remove(transport, recordPath('users', id), { id }, options, { erase }),
})

export type Users = ReturnType<typeof createUsers>
