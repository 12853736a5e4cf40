import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, LogController, type RawServerDefault } from 'fastify'
import { Type } from 'typebox'
import type { Core } from '../core.js'
import { rateLimitHeaders } from '../limits/headers.js'
import { registerBodyParser } from './body.js'
import { answerClientError, answerOutsideRoutes } from './client-errors.js'
import { registerCors } from './cors.js'
import { collectDocumentedRoutes, registerDocs } from './docs.js'
import { registerErrorHandler, sendError } from './errors.js'
import { registerGate } from './gate.js'
import { registerNotFound } from './not-found.js'
import { parseQuery } from './query.js'
import { isApiUrl, pathOfMessage, requestIdOf } from './request.js'
import type { App, Routes } from './routes.js'
import { createValidatorCompiler } from './validation.js'

const NoQuery = Type.Object({}, { additionalProperties: false })

export const createServer = (core: Core, logger: FastifyBaseLogger, features: readonly Routes[]): App => {
  const { config, limiter, metrics } = core
  const app: App = fastify<RawServerDefault>({
    loggerInstance: logger,
    // A logger for each request would cost more than most requests do; the request's id is logged where it matters.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    rewriteUrl: pathOfMessage,
    trustProxy: config.trustProxy,
    bodyLimit: config.bodyLimitBytes,
    routerOptions: { maxParamLength: 8_192, querystringParser: parseQuery },
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    // The gate says it in the form of every other error.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // It bounds closing too, which may last as long as the requests under way.
    pluginTimeout: 30_000,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, limiter),
    frameworkErrors: (error, request, reply) => {
      reply.headers({ 'x-request-id': request.id, ...rateLimitHeaders(limiter.takeAnonymous(request.ip)) })
      sendError(error, request, reply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  answerOutsideRoutes(app.server, limiter)
  app.setValidatorCompiler(createValidatorCompiler())
  app.decorateRequest('call')
  app.decorateRequest('plan')
  app.addHook('onRoute', (route) => {
    if (!isApiUrl(route.url)) return
    route.config = { ...route.config, isApi: true }
    route.schema = { querystring: NoQuery, ...route.schema }
  })
  registerNotFound(app)
  registerErrorHandler(app)
  registerBodyParser(app)
  registerCors(app, config.corsOrigins, limiter)
  registerGate(app, core)
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observeRequest(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime)
    if (logger.level === 'debug' || logger.level === 'trace') {
      logger.debug(
        {
          requestId: request.id,
          method: request.method,
          url: request.url,
          status: reply.statusCode,
          ms: reply.elapsedTime,
        },
        'request',
      )
    }
    done()
  })
  app.addHook('preClose', async () => {
    // An answer given from now on leaves its connection open for a next request, which is not to come.
    const timer = setInterval(() => app.server.closeIdleConnections(), 50).unref()
    app.server.once('close', () => clearInterval(timer))
  })
  const routes = collectDocumentedRoutes(app)
  for (const register of features) register(app, core)
  registerDocs(app, routes)
  return app
}
