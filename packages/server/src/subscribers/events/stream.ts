import type { ServerResponse } from 'node:http'
import type { Awaitable } from '../../base/awaitable.js'
import type { ErrorCode } from '../../base/error-reasons.js'
import { AppError } from '../../base/errors.js'
import type { EventFilter } from '../../changelog/event-types.js'
import type { Watch } from '../../changelog/watch.js'
import type { Actor } from '../../operations/actor.js'
import type { EventPage, StoredEvent } from './read.js'
import type { ReadAfter } from './shared-reads.js'
import { visibleTo } from './visible.js'

interface StreamSettings {
  commentEveryMs: number
  /** A reader that takes nothing for so long is dropped; it can go on from its last event. */
  stalledAfterMs: number
}

export const streamSettings: StreamSettings = { commentEveryMs: 15_000, stalledAfterMs: 10_000 }

/** How often the key is looked at while nothing happens. */
const checkEveryMs = 1_000
const reconnectMs = 1_000

export interface Stream {
  response: ServerResponse
  watch: Watch
  read: ReadAfter
  filter: EventFilter
  after: number
  /** Throws when the key has ended. */
  actorNow(): Awaitable<Actor>
  /** Returns the fields with which the last message of the stream describes an error. */
  describeError(error: AppError): object
  /** Called whenever the number of bytes buffered for the reader changes. This may close the response. */
  hold(bytes: number): void
  settings: StreamSettings
}

/** How many bytes of events are buffered for a slow reader. A larger event is buffered alone. */
const maxPageBytes = 262_144
const maxEventsPerPage = 100

/** Returns the first events of a page that fit within the limit. */
const trimmed = (page: EventPage): EventPage => {
  let bytes = 0
  const count = page.events.findIndex(({ json }, at) => {
    bytes += json.length
    return at > 0 && bytes > maxPageBytes
  })
  if (count < 0) return page
  const events = page.events.slice(0, count)
  return { events, upTo: events.at(-1)!.sequence, hasMore: true }
}

const sizeOf = (events: readonly StoredEvent[]): number => events.reduce((sum, { json }) => sum + json.length, 0)

/** Answers false when the reader takes nothing: no more is read for it than the socket has taken. */
const taken = async (response: ServerResponse, text: string, stalledAfterMs: number): Promise<boolean> => {
  if (response.write(text)) return true
  return new Promise((resolve) => {
    const settle = (isTaken: boolean) => (): void => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      response.off('close', onClose)
      resolve(isTaken)
    }
    const onDrain = settle(true)
    const onClose = settle(false)
    const timer = setTimeout(onClose, stalledAfterMs)
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}

const finalCodes: readonly ErrorCode[] = ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'GONE']

const isFinal = (error: unknown): error is AppError => error instanceof AppError && finalCodes.includes(error.code)

/** Writes events as they come until the reader leaves, stalls, loses its key or the project it follows, or the service stops. */
export const runStream = async (stream: Stream): Promise<void> => {
  const { response, watch, filter, settings } = stream
  let { after } = stream
  let eventsPerPage = maxEventsPerPage
  let writtenAtMs = performance.now()

  const write = (text: string): Promise<boolean> => {
    writtenAtMs = performance.now()
    return taken(response, text, settings.stalledAfterMs)
  }

  /** Answers whether to go on. */
  const step = async (): Promise<boolean> => {
    const actor = await stream.actorNow()
    const page = await stream.read(actor.tenantId, after, visibleTo(actor, filter), eventsPerPage)
    const { events, upTo, hasMore } = trimmed(page)
    // Reads fewer events at once while they are large, and more as they become smaller.
    const fitting = events.length < page.events.length ? events.length : eventsPerPage
    eventsPerPage = Math.min(maxEventsPerPage, 2 * fitting)
    let unsent = sizeOf(events)
    if (unsent > 0) stream.hold(unsent)
    for (const { sequence, json } of events) {
      if (!(await write(`id: ${sequence}\ndata: ${json}\n\n`))) return false
      unsent -= json.length
      stream.hold(unsent)
    }
    after = upTo
    if (hasMore) return true
    await watch.next(checkEveryMs)
    const isQuiet = performance.now() - writtenAtMs >= settings.commentEveryMs
    // An id without data moves the reader's position past what it did not ask for.
    return !isQuiet || (await write(`: still here\nid: ${after}\n\n`))
  }

  // With data, because libraries keep the id of a message only when they hand it on.
  const ready = `event: ready\nretry: ${reconnectMs}\nid: ${after}\ndata: ${JSON.stringify({ after })}\n\n`
  if (!(await write(ready))) return void response.destroy()
  while (!watch.isEnded) {
    try {
      if (!(await step())) return void response.destroy()
    } catch (error) {
      if (isFinal(error)) {
        response.end(`event: end\ndata: ${JSON.stringify(stream.describeError(error))}\n\n`)
        return
      }
      // The store is out of reach for a while; the reader is kept.
      await watch.next(checkEveryMs)
    }
  }
  response.end()
}
