import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { InboxReadCount, ListInboxAnswer, ListInboxQuery, ReadInboxBody } from '../types.gen.js'

export const inboxPath = '/v1/inbox'

/** The inbox of the key's user. */
export interface InboxRecords {
  /**
   * Lists unread entries, or all, newest first. `after` selects entries newer than the one with this id. With
   * `waitSeconds`, it waits until there is an entry.
   */
  list(query?: ListInboxQuery, options?: CallOptions): Listing<ListInboxAnswer>
  /** Marks entries as read: those in `ids`, or the entry `upTo` and all older ones. */
  read(entries: ReadInboxBody, options?: PostOptions): Promise<InboxReadCount>
}

export const createInboxRecords = (transport: Transport): InboxRecords => {
  const list: InboxRecords['list'] = (query = {}, options = {}) => {
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (query.waitSeconds ?? 0) * 1_000
    return createListing(transport, inboxPath, query, { ...options, timeoutMs })
  }

  return {
    list,
    read: (body, options) => transport.fetchData({ method: 'POST', path: `${inboxPath}/read`, body, ...options }),
  }
}
