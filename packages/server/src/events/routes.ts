import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Actor } from '../actor.js'
import type { Awaitable } from '../awaitable.js'
import { AppError, invalid } from '../errors.js'
import { listOf, sendJson } from '../http/answers.js'
import type { Routes } from '../http/routes.js'
import { resolveStart } from './read.js'
import { Event, EventPagination, EventQuery, StreamQuery } from './schema.js'
import { readFeed, startOf, wishOf } from './service.js'
import { createSharedReads } from './shared-reads.js'
import { runStream, streamSettings } from './stream.js'

const tags = ['Events']
const streamsPerTenant = 200

const lastEventId = ({ headers }: FastifyRequest): string | undefined => {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id !== 'string' || !/^\d{1,15}$/.test(id)) {
    throw invalid({ path: 'Last-Event-ID', message: 'must be the sequence of an event' })
  }
  return id
}

export const eventRoutes: Routes = (app, { authenticator, watches, db, metrics }) => {
  const read = createSharedReads(db, watches.newsCount)
  const openStreams = new Map<string, number>()
  app.addHook('preClose', async () => watches.close())

  const actorNow = (request: FastifyRequest) => (): Awaitable<Actor> => {
    const identity = authenticator.authenticate(request.headers.authorization)
    return identity instanceof Promise ? identity.then(({ actor }) => actor) : identity.actor
  }

  const countStream = (tenantId: string, step: 1 | -1): void => {
    const open = (openStreams.get(tenantId) ?? 0) + step
    if (open > streamsPerTenant) {
      throw new AppError(
        'RATE_LIMIT_EXCEEDED',
        `Close a stream before opening another: ${streamsPerTenant} are open.`,
        {
          limit: 'open streams',
          retryAfter: 10,
        },
      )
    }
    if (open === 0) openStreams.delete(tenantId)
    else openStreams.set(tenantId, open)
    metrics.countOpenStreams(step)
  }

  app.get(
    '/v1/events',
    {
      config: { isWaiting: true, errors: ['GONE'] },
      schema: {
        operationId: 'listEvents',
        summary: 'Read what has changed, in order, or wait for it',
        tags,
        querystring: EventQuery,
        answers: { 200: listOf(Event, EventPagination) },
      },
    },
    async (request, reply) => {
      const { limit = 100, wait = 0 } = request.query
      const watch = wait > 0 ? watches.open(request.call.actor.tenantId) : undefined
      if (watch) reply.raw.once('close', watch.end)
      const { events, upTo, hasMore } = await readFeed(request.call, request.query, watch, actorNow(request))
      const pagination = JSON.stringify({ limit, hasMore, nextAfter: upTo })
      return sendJson(reply, `{"data":[${events.map(({ json }) => json).join(',')}],"pagination":${pagination}}`)
    },
  )

  app.get(
    '/v1/events/stream',
    {
      config: { isWaiting: true, heeds: ['Last-Event-ID'], errors: ['GONE'] },
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamEvents',
        summary: 'Follow what changes as Server-Sent Events',
        tags,
        querystring: StreamQuery,
        mediaType: 'text/event-stream',
        answers: {
          200: Type.String({ description: 'Each message has the sequence as its `id` and an Event as its `data`.' }),
        },
      },
    },
    async (request, reply) => {
      const { call, query } = request
      const { tenantId } = call.actor
      const wish = await wishOf(call, query)
      const start = startOf(lastEventId(request) ?? query.after, 'latest')
      const watch = watches.open(tenantId)
      try {
        const after = await resolveStart(db, tenantId, start)
        countStream(tenantId, 1)
        reply.hijack()
        const response = reply.raw
        response.once('close', () => {
          watch.end()
          countStream(tenantId, -1)
        })
        const headers = {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          // Lets a proxy such as nginx pass each event on as it comes.
          'x-accel-buffering': 'no',
        }
        response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers })
        await runStream({ response, watch, read, wish, after, actorNow: actorNow(request), settings: streamSettings })
      } finally {
        watch.end()
      }
    },
  )
}
