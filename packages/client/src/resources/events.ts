import type { ChangeEvent } from '../event.js'
import { type StreamOptions, streamEvents } from '../event-stream.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { EventPagination, ListEventsQuery, StreamTicket } from '../types.gen.js'

export interface EventFilters {
  /** Only events after this sequence. */
  after?: number | 'latest' | undefined
  /** Such as `task.created`, or `task.*` for all of a kind. */
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
  /** Only events before this sequence; `nextBefore` of the previous page. */
  before?: number | undefined
  /** Only events of this record, by its id or key; of a task with its comments. */
  subject?: string | undefined
  /** Only changes made by this API key. */
  actor?: string | undefined
  /** Only events from this time on. */
  since?: string | undefined
  /** Only events from before this time. */
  until?: string | undefined
  limit?: number | undefined
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
    /** One page of the log, newest first. */
    newest: (query: NewestEventsQuery = {}, options: CallOptions = {}): Promise<NewestEventsPage> =>
      transport.send({ method: 'GET', path: '/v1/events', query: { order: 'desc', ...query }, ...options }),
    /** Opens the stream once, as `/v1/events/stream?ticket=…`, for an `EventSource` that cannot send a key. */
    ticket: (options: PostOptions = {}): Promise<StreamTicket> =>
      transport.fetchData({ method: 'POST', path: '/v1/events/ticket', ...options }),
    /** Events as they come, from now on or after a position, over lost connections too. */
    stream: async function* (
      { after = 'latest', ...query }: EventFilters = {},
      options: StreamOptions = {},
    ): AsyncGenerator<ChangeEvent, void, undefined> {
      // "From now on" becomes a position, or what happens during a lost first connection would be missed.
      const start = after === 'latest' ? (await list({ after, limit: 1 }, options)).pagination.nextAfter : after
      yield* streamEvents(transport, query, start, options)
    },
  }
}

export type Events = ReturnType<typeof createEvents>
