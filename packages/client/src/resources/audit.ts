import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { ListAuditAnswer, ListAuditQuery } from '../types.gen.js'

export const createAudit = (transport: Transport) => ({
  /** Refusals and the actions on keys, webhooks, plans and the store, newest first. Needs an admin key. */
  list: (query: ListAuditQuery = {}, options: CallOptions = {}): Listing<ListAuditAnswer> =>
    createListing(transport, '/v1/audit', query, options),
})

export type Audit = ReturnType<typeof createAudit>
