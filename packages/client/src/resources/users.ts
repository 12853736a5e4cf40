import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
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

export interface Users {
  create(user: CreateUserBody, options?: PostOptions): Promise<User>
  get(id: string, options?: CallOptions): Promise<User>
  list(query?: ListUsersQuery, options?: CallOptions): Listing<ListUsersAnswer>
  update(id: string, changes: UpdateUserBody, options?: CallOptions): Promise<User>
  /**
   * Deletes a user, revokes its keys and unassigns its tasks. With `erase`, the name and e-mail are removed from history
   * and events too.
   */
  delete(id: string, options?: UserDeleteOptions): Promise<Removed>
}

export const createUsers = (transport: Transport): Users => ({
  create: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/users', body, ...options }),
  get: async (id, options) => transport.fetchData({ method: 'GET', path: recordPath('users', id), ...options }),
  list: (query = {}, options = {}) => createListing(transport, '/v1/users', query, options),
  update: async (id, body, options) =>
    transport.fetchData({ method: 'PATCH', path: recordPath('users', id), body, ...options }),
  delete: async (id, { erase, ...options } = {}) =>
    remove(transport, recordPath('users', id), { id }, options, { erase }),
})
