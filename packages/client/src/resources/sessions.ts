import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type { ListSessionsAnswer, ListSessionsQuery } from '../types.gen.js'

/** Sessions of the web console. */
export const createSessions = (transport: Transport) => ({
  /** Those of the key, or with an admin key all of them; newest first. */
  list: (query: ListSessionsQuery = {}, options: CallOptions = {}): Listing<ListSessionsAnswer> =>
    createListing(transport, '/v1/sessions', query, options),
  /** Signs that browser out. */
  end: async (id: string, options: CallOptions = {}) => remove(transport, recordPath('sessions', id), { id }, options),
})

export type Sessions = ReturnType<typeof createSessions>
