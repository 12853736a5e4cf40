import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  ApiKey,
  ApiKeyWithSecret,
  ConsoleLink,
  CreateConsoleLinkBody,
  CreateKeyBody,
  ListKeysAnswer,
  ListKeysQuery,
  RotateKeyBody,
  UpdateKeyBody,
} from '../types.gen.js'

export interface Keys {
  /** Creates a key. `key` is its secret, or null if the first response was lost: rotate the key to get another secret. */
  create(key: CreateKeyBody, options?: PostOptions): Promise<ApiKeyWithSecret>
  get(id: string, options?: CallOptions): Promise<ApiKey>
  list(query?: ListKeysQuery, options?: CallOptions): Listing<ListKeysAnswer>
  update(id: string, changes: UpdateKeyBody, options?: CallOptions): Promise<ApiKey>
  /** Replaces the secret of a key. The new one is shown once, as with `create`. */
  rotate(id: string, rotation?: RotateKeyBody, options?: PostOptions): Promise<ApiKeyWithSecret>
  /** Creates a link that opens the web console once, with this key. */
  consoleLink(id: string, validity?: CreateConsoleLinkBody, options?: PostOptions): Promise<ConsoleLink>
  /** Revokes a key. */
  delete(id: string, options?: CallOptions): Promise<Removed>
  /** Revokes the key with this secret, for example one that leaked. Succeeds even if no key has the secret. */
  revokeSecret(key: string, options?: CallOptions): Promise<void>
}

export const createKeys = (transport: Transport): Keys => ({
  create: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/keys', body, ...options }),
  get: async (id, options) => transport.fetchData({ method: 'GET', path: recordPath('keys', id), ...options }),
  list: (query = {}, options = {}) => createListing(transport, '/v1/keys', query, options),
  update: async (id, body, options) =>
    transport.fetchData({ method: 'PATCH', path: recordPath('keys', id), body, ...options }),
  rotate: async (id, body = {}, options = {}) =>
    transport.fetchData({ method: 'POST', path: recordPath('keys', id, 'rotate'), body, ...options }),
  consoleLink: async (id, body = {}, options = {}) =>
    transport.fetchData({ method: 'POST', path: recordPath('keys', id, 'console-link'), body, ...options }),
  delete: async (id, options) => remove(transport, recordPath('keys', id), { id }, options),
  revokeSecret: async (key, options) => {
    await transport.fetchData({ method: 'POST', path: '/v1/keys/revoke', body: { key }, ...options })
  },
})
