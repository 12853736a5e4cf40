import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { repeatedly } from '../repeatedly.js'
import type { Transport } from '../transport.js'
import type { InboxEntry, InboxReadCount, ListInboxAnswer, ListInboxQuery, ReadInboxBody } from '../types.gen.js'

const path = '/v1/inbox'
/** Longest wait that the service accepts in one request. */
const maxWaitSeconds = 30

/** The inbox of the key's user. */
export interface Inbox {
  /**
   * Lists unread entries, or all, newest first. `after` selects entries newer than the one with this id. With
   * `waitSeconds`, it waits until there is an entry.
   */
  list(query?: ListInboxQuery, options?: CallOptions): Listing<ListInboxAnswer>
  /** Marks entries as read: those in `ids`, or the entry `upTo` and all older ones. */
  read(entries: ReadInboxBody, options?: PostOptions): Promise<InboxReadCount>
  /**
   * Yields each unread entry once, oldest first, then each new entry. It reconnects after lost connections and restarts of
   * the service, until the caller stops reading.
   */
  watch(options?: CallOptions): AsyncGenerator<InboxEntry, void, undefined>
}

export const createInbox = (transport: Transport): Inbox => {
  const list: Inbox['list'] = (query = {}, options = {}) => {
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (query.waitSeconds ?? 0) * 1_000
    return createListing(transport, path, query, { ...options, timeoutMs })
  }

  return {
    list,
    read: (body, options) => transport.fetchData({ method: 'POST', path: `${path}/read`, body, ...options }),
    watch: async function* (options = {}) {
      let after: string | undefined
      const readNew = async (): Promise<InboxEntry[]> => {
        const fresh: InboxEntry[] = []
        const query = { limit: 100, waitSeconds: maxWaitSeconds, ...(after !== undefined && { after }) }
        for await (const entry of list(query, { ...options, maxRetries: 0 })) fresh.push(entry)
        return fresh.reverse()
      }
      for (;;) {
        const entries = await repeatedly(transport, path, readNew, ({ length }) => length > 0, Infinity, options)
        after = entries.at(-1)?.id
        yield* entries
      }
    },
  }
}
