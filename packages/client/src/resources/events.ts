import type { ChangeEvent } from '../event.js'
import { type StreamOptions, streamEvents } from '../event-stream.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { EventPagination, ListEventsQuery } from '../types.gen.js'

export interface EventFilters {
  /** Selects events after this sequence. */
  after?: number | 'latest' | undefined
  /** Types such as `task.created`, or `task.*` for all of a kind. */
  types?: string | readonly string[] | undefined
  projectId?: string | undefined
}

export interface EventPage {
  data: ChangeEvent[]
  pagination: EventPagination & { nextAfter: number }
}

export interface NewestEventsPage {
  data: ChangeEvent[]
  pagination: EventPagination & { nextBefore: number | null }
}

export interface NewestEventsQuery extends Pick<EventFilters, 'types' | 'projectId'> {
  /** Selects events before this sequence: `nextBefore` of the previous page. */
  before?: number | undefined
  /** Selects events of the record with this id or key. A task includes its comments. */
  subject?: string | undefined
  /** Selects changes made by this API key. */
  actor?: string | undefined
  /** Selects events at or after this time. */
  since?: string | undefined
  /** Selects events before this time. */
  until?: string | undefined
  limit?: number | undefined
}

export type EventQuery = EventFilters & Pick<ListEventsQuery, 'limit' | 'wait'>

export interface Events {
  /** Lists events, oldest first. With `wait`, it waits up to that many seconds for a new one. */
  list(query?: EventQuery, options?: CallOptions): Listing<EventPage>
  /** Returns one page of events, newest first. */
  newest(query?: NewestEventsQuery, options?: CallOptions): Promise<NewestEventsPage>
  /** Yields events as they happen, from now on or after a sequence, and reconnects after lost connections. */
  stream(filters?: EventFilters, options?: StreamOptions): AsyncGenerator<ChangeEvent, void, undefined>
}

export const createEvents = (transport: Transport): Events => {
  const list: Events['list'] = (query = {}, options = {}) => {
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (query.wait ?? 0) * 1000
    return createListing(transport, '/v1/events', query, { ...options, timeoutMs })
  }

  return {
    list,
    newest: (query = {}, options = {}) =>
      transport.send({ method: 'GET', path: '/v1/events', query: { order: 'desc', ...query }, ...options }),
    stream: async function* ({ after = 'latest', ...query } = {}, options = {}) {
      // "latest" is resolved to a sequence first, so that no events are missed if the first connection fails.
      const start = after === 'latest' ? (await list({ after, limit: 1 }, options)).pagination.nextAfter : after
      yield* streamEvents(transport, query, start, options)
    },
  }
}
