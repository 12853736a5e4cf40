import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type { ListSessionsAnswer, ListSessionsQuery } from '../types.gen.js'

/** Sessions of the web console. */
export interface Sessions {
  /** Lists the key's own sessions, or every session with an admin key; newest first. */
  list(query?: ListSessionsQuery, options?: CallOptions): Listing<ListSessionsAnswer>
  /** Signs a browser out. */
  end(id: string, options?: CallOptions): Promise<Removed>
}

export const createSessions = (transport: Transport): Sessions => ({
  list: (query = {}, options = {}) => createListing(transport, '/v1/sessions', query, options),
  end: async (id, options) => remove(transport, recordPath('sessions', id), { id }, options),
})
