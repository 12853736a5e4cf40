import type { FastifyInstance } from 'fastify'
import { traceparentOf } from '../base/traceparent.js'
import type { Traced, Tracing } from '../observability/tracing.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Only where an SDK is loaded. */
    span?: Traced
  }
}

/** A span for each request, from its headers to the end of its response. Comes before all other hooks. */
export const registerSpans = (app: FastifyInstance, tracing: Tracing): void => {
  app.decorateRequest('span')
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, id, routeOptions } = request
    const { url: route } = routeOptions
    const span = tracing.startRequest(headers, route === undefined ? method : `${method} ${route}`, {
      'http.request.method': method,
      'url.path': request.url.split('?', 1)[0]!,
      'url.scheme': request.protocol,
      'worklore.request.id': id,
      ...(route !== undefined && { 'http.route': route }),
    })
    request.span = span
    // A trace that begins here is stored and logged like one that a caller sent.
    headers.traceparent = traceparentOf(headers.traceparent) ?? span.traceparent
    reply.raw.once('close', () => {
      const status = reply.statusCode
      const { tenantId, keyId } = request.call?.actor ?? {}
      span.end(
        {
          'http.response.status_code': status,
          ...(tenantId && { 'worklore.tenant.id': tenantId }),
          ...(keyId && { 'worklore.key.id': keyId }),
        },
        status >= 500 ? String(status) : undefined,
      )
    })
    span.run(done)
  })
}

/** The body is read in the span of its connection, if in any. Comes after all other hooks. */
export const resumeSpans = (app: FastifyInstance): void => {
  app.addHook('preHandler', (request, _reply, done) => request.span!.run(done))
}
