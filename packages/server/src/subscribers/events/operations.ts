import { Type } from 'typebox'
import { jsonArray } from '../../base/json.js'
import { operation } from '../../operations/operation.js'
import { listOf } from '../../operations/result.js'
import { holdOpen } from '../../operations/waiting.js'
import { Event, EventFeed, EventPagination, EventStreamInput } from './schema.js'
import { awaitFeed, checkOrder, readFeed, readNewestFirst } from './service.js'

const subject = 'Events'

export const listEvents = operation({
  name: 'listEvents',
  summary: 'List changes in order, or newest first, or wait for the next one',
  subject,
  kind: 'read',
  isWaiting: ({ wait = 0 }) => wait > 0,
  changesOnlyOnCommit: ({ wait = 0 }) => wait === 0,
  input: EventFeed,
  output: listOf(Event, EventPagination),
  errors: ['GONE'],
  run: async (call, input) => {
    const { limit = 100, wait = 0 } = input
    checkOrder(input)
    if (input.order === 'desc') {
      const { events, nextBefore, newest } = await readNewestFirst(call, input)
      return {
        data: jsonArray(events.map(({ json }) => json)),
        more: { pagination: { limit, hasMore: nextBefore !== null, nextAfter: newest, nextBefore } },
      }
    }
    const endWait = wait > 0 ? await holdOpen(call) : undefined
    try {
      const { events, upTo, hasMore } = await (wait > 0 ? awaitFeed(call, input) : readFeed(call, input))
      return {
        data: jsonArray(events.map(({ json }) => json)),
        more: { pagination: { limit, hasMore, nextAfter: upTo } },
      }
    } finally {
      endWait?.()
    }
  },
})

/** Answered as it goes, by the interface that has streams. */
export const streamEvents = operation({
  name: 'streamEvents',
  summary: 'Stream changes as Server-Sent Events',
  subject,
  kind: 'read',
  isWaiting: () => true,
  input: EventStreamInput,
  output: Type.String({
    description:
      'Each message has the sequence as its `id` and an Event as its `data`. The first is named `ready`: its `id`, and `after` in its `data`, is the position that the stream starts after.',
  }),
  errors: ['GONE'],
  run: () => {
    throw new Error('a stream has no single result')
  },
})
