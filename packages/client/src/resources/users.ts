import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type { CreateUserBody, ListUsersAnswer, ListUsersQuery, UpdateUserBody, User } from '../types.gen.js'

export const createUsers = (transport: Transport) => ({
  create: (user: CreateUserBody, options: PostOptions = {}): Promise<User> =>
    transport.fetchData({ method: 'POST', path: '/v1/users', body: user, ...options }),
  get: async (id: string, options: CallOptions = {}): Promise<User> =>
    transport.fetchData({ method: 'GET', path: recordPath('users', id), ...options }),
  list: (query: ListUsersQuery = {}, options: CallOptions = {}): Listing<ListUsersAnswer> =>
    createListing(transport, '/v1/users', query, options),
  update: async (id: string, changes: UpdateUserBody, options: CallOptions = {}): Promise<User> =>
    transport.fetchData({ method: 'PATCH', path: recordPath('users', id), body: changes, ...options }),
  /** Their tasks are unassigned. */
  delete: async (id: string, options: CallOptions = {}) => remove(transport, recordPath('users', id), { id }, options),
})

export type Users = ReturnType<typeof createUsers>
