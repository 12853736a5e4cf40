import type { ChangeEvent } from '../event.js'
import { streamEvents } from '../event-stream.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { EventPagination, ListEventsQuery } from '../types.gen.js'

export interface EventFilters {
  /** Only events after this sequence. */
  after?: number | 'latest' | undefined
  /** Such as `task.created`, or `task.*` for all of a kind. */
  types?: string | readonly string[] | undefined
  projectId?: string | undefined
}

export interface EventPage {
  data: ChangeEvent[]
  pagination: EventPagination
}

export type EventQuery = EventFilters & Pick<ListEventsQuery, 'limit' | 'wait'>

export const createEvents = (transport: Transport) => {
  const list = (query: EventQuery = {}, options: CallOptions = {}): Listing<EventPage> => {
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (query.wait ?? 0) * 1000
    return createListing(transport, '/v1/events', query, { ...options, timeoutMs })
  }

  return {
    /** What has changed, from the oldest event that is kept; `wait` asks for a long poll, in seconds. */
    list,
    /** Events as they come, from now on or after a position, over lost connections too. */
    stream: async function* (
      { after = 'latest', ...query }: EventFilters = {},
      options: CallOptions = {},
    ): AsyncGenerator<ChangeEvent, void, undefined> {
      // "From now on" becomes a position, or what happens during a lost first connection would be missed.
      const start = after === 'latest' ? (await list({ after, limit: 1 }, options)).pagination.nextAfter : after
      yield* streamEvents(transport, query, start, options)
    },
  }
}

export type Events = ReturnType<typeof createEvents>
