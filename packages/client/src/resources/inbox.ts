import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { repeatedly } from '../repeatedly.js'
import type { Transport } from '../transport.js'
import type { InboxEntry, InboxReadCount, ListInboxAnswer, ListInboxQuery, ReadInboxBody } from '../types.gen.js'

const path = '/v1/inbox'
/** The longest wait that the service takes for one request. */
const maxWaitSeconds = 30

export const createInbox = (transport: Transport) => {
  const list = (query: ListInboxQuery = {}, options: CallOptions = {}): Listing<ListInboxAnswer> => {
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (query.waitSeconds ?? 0) * 1_000
    return createListing(transport, path, query, { ...options, timeoutMs })
  }

  return {
    /**
     * What is meant for the key's user, the newest first: unread entries, or all; `after` gives only newer ones than that
     * entry. With `waitSeconds` it waits for one.
     */
    list,
    /** Marks entries as read: by their `ids`, or one and all older ones by `upTo`. */
    read: (entries: ReadInboxBody, options: PostOptions = {}): Promise<InboxReadCount> =>
      transport.fetchData({ method: 'POST', path: `${path}/read`, body: entries, ...options }),
    /**
     * Entries as they come, each once: first those that are unread, the oldest first. It goes on over lost connections
     * and restarts of the service, for as long as the caller reads.
     */
    watch: async function* (options: CallOptions = {}): AsyncGenerator<InboxEntry, void, undefined> {
      let after: string | undefined
      const look = async (): Promise<InboxEntry[]> => {
        const fresh: InboxEntry[] = []
        const query = { limit: 100, waitSeconds: maxWaitSeconds, ...(after !== undefined && { after }) }
        for await (const entry of list(query, { ...options, maxRetries: 0 })) fresh.push(entry)
        return fresh.reverse()
      }
      for (;;) {
        const entries = await repeatedly(transport, path, look, ({ length }) => length > 0, Infinity, options)
        after = entries.at(-1)?.id
        yield* entries
      }
    },
  }
}

export type Inbox = ReturnType<typeof createInbox>
