import type { FastifyInstance } from 'fastify'
import { rateLimitHeaders } from '../../limits/headers.js'
import type { Limiter } from '../../limits/limiter.js'
import { isApiRequest, mcpPaths } from '../api/request.js'
import { componentHeaders } from '../docs/openapi-parts.js'

const exposed = [...Object.keys(componentHeaders), 'Idempotency-Replayed', 'Allow'].join(', ')

const preflight = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Worklore-Claim, X-Request-Id',
  'access-control-max-age': '86400',
}

/** Lets pages of the named origins call the API from a browser. Without any, browsers keep all of them out. */
export const registerCors = (app: FastifyInstance, origins: readonly string[], limiter: Limiter): void => {
  if (origins.length === 0) return
  const isAny = origins.includes('*')
  app.addHook('onRequest', (request, reply, done) => {
    if (!isApiRequest(request) && !mcpPaths.includes(request.url)) return done()
    const { origin } = request.headers
    if (!isAny) reply.header('vary', 'Origin')
    if (origin === undefined || !(isAny || origins.includes(origin))) return done()
    reply.header('access-control-allow-origin', isAny ? '*' : origin)
    reply.header('access-control-expose-headers', exposed)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return done()
    const ofLimits = rateLimitHeaders(limiter.lookAnonymous(request.ip))
    reply
      .code(204)
      .headers({ 'x-request-id': request.id, ...ofLimits, ...preflight })
      .send()
  })
}
