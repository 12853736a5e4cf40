import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Awaitable } from '../../base/awaitable.js'
import type { AppError } from '../../base/errors.js'
import { randomBase62 } from '../../base/ids.js'
import { traceparentOf } from '../../base/traceparent.js'
import type { Actor } from '../../operations/actor.js'
import type { AdmittedCall } from '../../operations/admission.js'
import type { Interface } from '../../operations/call.js'
import type { Operation } from '../../operations/operation.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request under /v1 that has been let in. */
    call: AdmittedCall
    /** Who makes the request now, for one that waits. */
    actorNow(): Awaitable<Actor>
    /** It is counted by what is in its body, which was not read yet. */
    countsLater: boolean
    /** It was answered before, and gets that answer again unless it is another request. */
    isRepeat: boolean
    /** Why it is refused, for a route that says so by itself. */
    refusal: AppError | undefined
  }
  interface FastifyContextConfig {
    /** Set for the routes that need a key. An address can be written in many ways, so it is the route that tells. */
    isApi?: boolean
    operation?: Operation
    /** Which interface the route is; without it the caller's program tells. */
    via?: Interface
    /** Its query has a secret that is not to be logged. */
    hidesQuery?: boolean
    /** A refusal over a limit is the route's to answer. */
    answersRefusal?: boolean
  }
}

export const mcpPath = '/mcp'

/** With the slash that some clients add. */
export const mcpPaths: readonly string[] = [mcpPath, `${mcpPath}/`]

const isEncoded = (path: string): boolean => {
  try {
    // Bundlers drop a call whose result is not used.
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/**
 * A client may send the whole address, as to a proxy; what counts is the path. The console is served for its badly encoded
 * paths too, and shows that there is no such page.
 */
export const pathOfMessage = ({ url = '/' }: { url?: string | undefined }): string => {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '') || '/'
  return path.startsWith('/console/') && !isEncoded(path.split('?', 1)[0]!) ? '/console/' : path
}

export const isApiRequest = (request: FastifyRequest): boolean =>
  request.routeOptions.config.isApi ?? isApiUrl(request.url)

export const isApiUrl = (url: string): boolean => url.startsWith('/v1/') || url === '/v1' || url.startsWith('/v1?')

/** What an idempotency key is for. */
export const routeOf = ({ method, routeOptions }: FastifyRequest): string => `${method} ${routeOptions.url}`

/** The program that a request comes from, by its own word: it tells changes apart, and nothing is allowed because of it. */
export const interfaceOf = (userAgent: string | undefined): Interface =>
  userAgent?.startsWith('worklore-cli/') ? 'cli' : 'http'

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

/** How log lines name a request. */
export const requestNames = ({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>) => ({
  requestId: id,
  traceparent: traceparentOf(headers.traceparent),
})

/** The token of the claim that a request names. */
export const claimOf = ({ headers }: FastifyRequest): string | undefined => {
  const token = headers['worklore-claim']
  return typeof token === 'string' ? token : undefined
}
