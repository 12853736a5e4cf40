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

export interface UndoOptions extends PostOptions {
  /** The id that the request goes by, so that all pages of an undo can be undone together. */
  requestId?: string
}

export const createHistory = (transport: Transport) => ({
  /** Changes of tasks, comments, knowledge and projects, newest first. */
  list: (query: ListHistoryQuery = {}, options: CallOptions = {}): Listing<ListHistoryAnswer> =>
    createListing(transport, '/v1/history', query, options),
  /** Makes an old version of a task or knowledge item the newest one. `skipped` lists links that could not be restored. */
  restore: (version: RestoreVersionBody, options: PostOptions = {}): Promise<RestoreVersionAnswer> =>
    transport.send({ method: 'POST', path: '/v1/history/restore', body: version, ...options }),
  /** Undoes a page of what a key, a request or the holder of a claim did; without `dryRun: false` it only reports. */
  undo: (request: UndoBody, { requestId, ...options }: UndoOptions = {}): Promise<UndoReport> =>
    transport.fetchData({
      method: 'POST',
      path: '/v1/undo',
      body: request,
      headers: requestId ? { 'x-request-id': requestId } : {},
      ...options,
    }),
})

export type History = ReturnType<typeof createHistory>
