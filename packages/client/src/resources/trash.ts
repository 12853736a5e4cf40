import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type { ListTrashAnswer, ListTrashQuery, PurgeResult, RestoredEntry } from '../types.gen.js'

export interface Trash {
  /** Lists deleted records, newest first. */
  list(query?: ListTrashQuery, options?: CallOptions): Listing<ListTrashAnswer>
  /** Restores a deleted record and the records that were deleted with it. */
  restore(entryId: string, options?: PostOptions): Promise<RestoredEntry>
  /** Deletes a record for good. Requires an admin key. */
  purge(entryId: string, options?: CallOptions): Promise<Removed>
  /** Deletes everything in the trash for good. Requires an admin key. */
  empty(options?: CallOptions): Promise<PurgeResult>
}

export const createTrash = (transport: Transport): Trash => ({
  list: (query = {}, options = {}) => createListing(transport, '/v1/trash', query, options),
  restore: async (entryId, options) =>
    transport.fetchData({ method: 'POST', path: recordPath('trash', entryId, 'restore'), ...options }),
  purge: async (entryId, options) => remove(transport, recordPath('trash', entryId), { id: entryId }, options),
  empty: (options) => transport.fetchData({ method: 'DELETE', path: '/v1/trash', ...options }),
})
