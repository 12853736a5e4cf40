import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { repeatedly } from '../repeatedly.js'
import { sleep } from '../sleep.js'
import type { Transport } from '../transport.js'
import type { InboxEntry, InboxReadCount, ListInboxAnswer, ListInboxQuery, ReadInboxBody } from '../types.gen.js'

const path = '/v1/inbox'
/** The longest wait that the service takes for one request. */
const maxWaitSeconds = 30
/** The service waits only where nothing is unread; otherwise the inbox is looked at this often. */
const pollMs = 5_000
/** An inbox has no more entries. */
const maxEntries = 1_000

export const createInbox = (transport: Transport) => {
  const list = (query: ListInboxQuery = {}, options: CallOptions = {}): Listing<ListInboxAnswer> => {
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (query.waitSeconds ?? 0) * 1_000
    return createListing(transport, path, query, { ...options, timeoutMs })
  }

  return {
    /** What is meant for the key's user, the newest first: unread entries, or all; `waitSeconds` asks for a long poll. */
    list,
    /** Marks entries as read: by their `ids`, or one and all older ones by `upTo`. */
    read: (entries: ReadInboxBody, options: PostOptions = {}): Promise<InboxReadCount> =>
      transport.fetchData({ method: 'POST', path: `${path}/read`, body: entries, ...options }),
    /**
     * Entries as they come, each once: first those that are unread, the oldest first. It goes on over lost connections
     * and restarts of the service, for as long as the caller reads.
     */
    watch: async function* (options: CallOptions = {}): AsyncGenerator<InboxEntry, void, undefined> {
      const seen = new Set<string>()
      let isAnyUnread = false
      const look = async (): Promise<InboxEntry[]> => {
        if (isAnyUnread) await sleep(pollMs, options.signal)
        const fresh: InboxEntry[] = []
        const query = { limit: 100, waitSeconds: isAnyUnread ? 0 : maxWaitSeconds }
        isAnyUnread = false
        for await (const entry of list(query, { ...options, maxRetries: 0 })) {
          isAnyUnread = true
          if (seen.has(entry.id)) break
          fresh.push(entry)
        }
        return fresh.reverse()
      }
      for (;;) {
        for (const entry of await repeatedly(transport, path, look, ({ length }) => length > 0, Infinity, options)) {
          seen.add(entry.id)
          if (seen.size > maxEntries) seen.delete(seen.values().next().value!)
          yield entry
        }
      }
    },
  }
}

export type Inbox = ReturnType<typeof createInbox>
