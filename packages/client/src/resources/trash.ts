import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type { ListTrashAnswer, ListTrashQuery, PurgeResult, RestoredEntry } from '../types.gen.js'

export const createTrash = (transport: Transport) => ({
  /** What was deleted, newest first. */
  list: (query: ListTrashQuery = {}, options: CallOptions = {}): Listing<ListTrashAnswer> =>
    createListing(transport, '/v1/trash', query, options),
  /** Brings a deleted record back, with what was deleted with it. */
  restore: (entryId: string, options: PostOptions = {}): Promise<RestoredEntry> =>
    transport.fetchData({ method: 'POST', path: recordPath('trash', entryId, 'restore'), ...options }),
  /** Removes a deleted record for good. Needs an admin key. */
  purge: (entryId: string, options: CallOptions = {}) =>
    remove(transport, recordPath('trash', entryId), { id: entryId }, options),
  /** Removes everything in the trash for good. Needs an admin key. */
  empty: (options: CallOptions = {}): Promise<PurgeResult> =>
    transport.fetchData({ method: 'DELETE', path: '/v1/trash', ...options }),
})

export type Trash = ReturnType<typeof createTrash>
