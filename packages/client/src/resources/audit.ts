import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { ListAuditAnswer, ListAuditQuery } from '../types.gen.js'

export interface Audit {
  /** Lists refusals and actions on keys, webhooks, plans and the store, newest first. Requires an admin key. */
  list(query?: ListAuditQuery, options?: CallOptions): Listing<ListAuditAnswer>
}

export const createAudit = (transport: Transport): Audit => ({
  list: (query = {}, options = {}) => createListing(transport, '/v1/audit', query, options),
})
