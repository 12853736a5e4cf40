import { AppError } from '../../base/errors.js'
import type { Core } from '../../operations/core.js'
import { resolveStart } from '../../subscribers/events/read.js'
import type { EventStreamInput } from '../../subscribers/events/schema.js'
import { requestedFilter, startOf } from '../../subscribers/events/service.js'
import { runStream, streamSettings } from '../../subscribers/events/stream.js'
import { noStore } from '../caching/headers.js'
import { errorFields } from '../errors.js'
import type { Handler } from '../route.js'

const tooManyStreams = (limit: number): AppError =>
  new AppError('open_limit', `${limit} event streams are already open. Close one before opening another.`, {
    limit: 'open streams',
    retryAfter: 10,
  })

/** Answers with Server-Sent Events until the caller leaves or may no longer listen. */
export const createEventStream =
  ({ db, watches, sharedReads, openStreams, metrics }: Core): Handler =>
  async ({ server }, reply, call, input) => {
    const { after: wanted, lastEventId, ...query } = input as EventStreamInput
    const { tenantId } = call.actor
    const end = await openStreams.open(tenantId, call.plan)
    if (!end) throw tooManyStreams(call.plan.openStreams!)
    call.beginWaiting()
    const watch = watches.open(tenantId)
    try {
      const filter = await requestedFilter(call, query)
      const after = await resolveStart(db, tenantId, startOf(lastEventId ?? wanted, 'latest'))
      reply.hijack()
      const response = reply.raw
      metrics.countOpenStreams(1)
      response.once('close', () => {
        watch.end()
        metrics.countOpenStreams(-1)
      })
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': noStore,
        // Lets a proxy such as nginx pass each event on as it comes.
        'x-accel-buffering': 'no',
      }
      response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers })
      const { actorNow } = call
      const hold = (bytes: number): void => server.unsentBytes.hold(response, { tenantId, bytes, isStream: true })
      const settings = streamSettings
      const describeError = errorFields
      await runStream({ response, watch, read: sharedReads, filter, after, actorNow, describeError, hold, settings })
    } finally {
      watch.end()
      end()
    }
  }
