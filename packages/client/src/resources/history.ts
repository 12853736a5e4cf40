import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type {
  ListHistoryAnswer,
  ListHistoryQuery,
  RestoreVersionAnswer,
  RestoreVersionBody,
  UndoBody,
  UndoReport,
} from '../types.gen.js'

export interface History {
  /** Lists changes of tasks, comments, knowledge and projects, newest first. */
  list(query?: ListHistoryQuery, options?: CallOptions): Listing<ListHistoryAnswer>
  /** Makes an old version of a task or knowledge item the newest one. `skipped` lists links that could not be restored. */
  restore(version: RestoreVersionBody, options?: PostOptions): Promise<RestoreVersionAnswer>
  /**
   * Undoes one page of the changes that a key, a request or the holder of a claim made. It only reports them unless
   * `dryRun` is false.
   */
  undo(request: UndoBody, options?: PostOptions): Promise<UndoReport>
}

export const createHistory = (transport: Transport): History => ({
  list: (query = {}, options = {}) => createListing(transport, '/v1/history', query, options),
  restore: (body, options) => transport.send({ method: 'POST', path: '/v1/history/restore', body, ...options }),
  undo: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/undo', body, ...options }),
})
