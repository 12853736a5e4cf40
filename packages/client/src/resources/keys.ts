import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
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

export const createKeys = (transport: Transport) => ({
  /** `key` is the secret; it is null where the first answer was lost on the way: rotate the key to get another. */
  create: (key: CreateKeyBody, options: PostOptions = {}): Promise<ApiKeyWithSecret> =>
    transport.fetchData({ method: 'POST', path: '/v1/keys', body: key, ...options }),
  get: async (id: string, options: CallOptions = {}): Promise<ApiKey> =>
    transport.fetchData({ method: 'GET', path: recordPath('keys', id), ...options }),
  list: (query: ListKeysQuery = {}, options: CallOptions = {}): Listing<ListKeysAnswer> =>
    createListing(transport, '/v1/keys', query, options),
  update: async (id: string, changes: UpdateKeyBody, options: CallOptions = {}): Promise<ApiKey> =>
    transport.fetchData({ method: 'PATCH', path: recordPath('keys', id), body: changes, ...options }),
  /** A new secret, shown once, as in `create`. */
  rotate: async (id: string, rotation: RotateKeyBody = {}, options: PostOptions = {}): Promise<ApiKeyWithSecret> =>
    transport.fetchData({ method: 'POST', path: recordPath('keys', id, 'rotate'), body: rotation, ...options }),
  /** A link that opens the web console once, with this key. */
  consoleLink: async (
    id: string,
    validity: CreateConsoleLinkBody = {},
    options: PostOptions = {},
  ): Promise<ConsoleLink> =>
    transport.fetchData({ method: 'POST', path: recordPath('keys', id, 'console-link'), body: validity, ...options }),
  /** Revokes it at once. */
  delete: async (id: string, options: CallOptions = {}) => remove(transport, recordPath('keys', id), { id }, options),
  /** Revokes whatever key has this secret, at once, as for one that leaked; the same for a secret that no key has. */
  revokeSecret: async (key: string, options: CallOptions = {}): Promise<void> => {
    await transport.fetchData({ method: 'POST', path: '/v1/keys/revoke', body: { key }, ...options })
  },
})

export type Keys = ReturnType<typeof createKeys>
