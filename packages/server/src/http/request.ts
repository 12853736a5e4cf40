import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../actor.js'
import type { Call } from '../call.js'
import type { ErrorCode } from '../errors.js'
import { randomBase62 } from '../ids.js'
import type { EndpointLimit } from '../limits/limiter.js'
import type { Plan } from '../limits/plans.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request under /v1 that has been let in. */
    call: Call
    plan: Plan
  }
  interface FastifyContextConfig {
    /** Set for the routes under /v1. An address can be written in many ways, so it is the route that tells. */
    isApi?: boolean
    /** What a key must hold; without it any key will do. */
    scope?: Scope
    limit?: EndpointLimit
    /** Its requests wait for news and cost nothing meanwhile, so they are no load. */
    isWaiting?: boolean
    /** Request headers that the route heeds, for the document. */
    heeds?: readonly ('If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'Last-Event-ID')[]
    /** Errors beside those that every route can answer, for the document. */
    errors?: readonly ErrorCode[]
  }
  interface FastifySchema {
    operationId?: string
    summary?: string
    description?: string
    tags?: readonly string[]
    /** The successful answers by their status, for the document. */
    answers?: Record<number, TSchema>
    /** Of the successful answers; JSON if not said. */
    mediaType?: string
  }
}

/** A client may send the whole address, as to a proxy; what counts is the path. */
export const pathOfMessage = ({ url = '/' }: { url?: string | undefined }): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '') || '/'

export const isApiRequest = (request: FastifyRequest): boolean =>
  request.routeOptions.config.isApi ?? isApiUrl(request.url)

export const isApiUrl = (url: string): boolean => url.startsWith('/v1/') || url === '/v1' || url.startsWith('/v1?')

const saneRequestId = /^[\w.:/+=-]{1,128}$/

const requestIdPrefix = randomBase62(8)
let requestCount = 0

/** The caller's own id where it is sane, so that logs of both sides meet. */
export const requestIdOf = (message: IncomingMessage): string => {
  const sent = message.headers['x-request-id']
  if (typeof sent === 'string' && saneRequestId.test(sent)) return sent
  requestCount++
  return `req_${requestIdPrefix}${requestCount.toString(36)}`
}
