import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Config } from '../config.js'
import { rateLimitHeaders } from '../limits/headers.js'
import type { Core } from '../operations/core.js'
import { withBatch } from './api/batch.js'
import { bindRoute } from './api/bind.js'
import { groupOf, registerBodyParser } from './api/body.js'
import { registerGate } from './api/gate.js'
import { parseQuery } from './api/query.js'
import { isApiUrl, pathOfMessage, requestIdOf, requestNames } from './api/request.js'
import { createValidators } from './api/validation.js'
import { registerCompression } from './caching/compression.js'
import { keepToCaller } from './caching/headers.js'
import { createPolling, editionOf } from './caching/polling.js'
import { registerConsoleFiles } from './console/files.js'
import { registerConsoleSession } from './console/session.js'
import { registerSignIn } from './console/sign-in/routes.js'
import { registerDocs } from './docs/register.js'
import { registerErrorHandler, sendError } from './errors.js'
import { registerNotFound } from './not-found.js'
import { createOperatorRoutes } from './operator-routes.js'
import { registerProtectedResource } from './protected-resource.js'
import { answerClientError, answerOutsideRoutes } from './protection/client-errors.js'
import {
  type ConnectionSettings,
  connectionSettings,
  type SupervisedConnections,
  superviseConnections,
} from './protection/connections.js'
import { registerCors } from './protection/cors.js'
import { refuseEmptyHops } from './protection/forwarded.js'
import { boundUnsentBytes } from './protection/unsent.js'
import { registerRoot } from './root.js'
import { createRoutes } from './routes.js'
import { registerSpans, resumeSpans } from './spans.js'

/** Files, sockets included, that the system lets this process open; Infinity where it does not tell. */
const maxOpenFiles = (): number => {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

const httpOptions = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
}

/** A connection that was opened just before a stop may still send its request. */
const unusedGraceMs = 500

/** Files that the store, the logs and outgoing requests need. */
const reservedFiles = 256

const boundsOf = ({ maxConnections, maxConnectionsPerAddress, trustProxy }: Config): ConnectionSettings => {
  const most = Math.max(1, Math.min(maxConnections, maxOpenFiles() - reservedFiles))
  // Behind a proxy all connections are the proxy's own.
  const maxPerAddress = trustProxy === false ? Math.min(maxConnectionsPerAddress, Math.ceil(most / 2)) : Infinity
  return { ...connectionSettings, maxConnections: most, maxPerAddress }
}

export const createServer = (
  core: Core,
  logger: FastifyBaseLogger,
  connections: Partial<ConnectionSettings> = {},
  consoleFolder?: string,
): FastifyInstance => {
  const { config, limiter, metrics, scheduler, tracing } = core
  let supervised: SupervisedConnections | undefined
  const app = fastify({
    loggerInstance: logger,
    // A logger for each request would cost more than most requests do; the request's id is logged where it matters.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    rewriteUrl: pathOfMessage,
    trustProxy: config.trustProxy,
    bodyLimit: config.bodyLimitBytes,
    routerOptions: { maxParamLength: 8_192, querystringParser: parseQuery },
    serverFactory: (serve) => {
      const server = createHttpServer(httpOptions)
      const settings = { ...boundsOf(config), ...connections }
      const serveChecked: typeof serve = (message, response) => {
        refuseEmptyHops(message)
        serve(message, response)
      }
      supervised = superviseConnections(server, serveChecked, settings, metrics.countClosedConnection)
      return server
    },
    // The gate says it in the form of every other error.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // It bounds closing too, which may last as long as the requests under way.
    pluginTimeout: 30_000,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, limiter),
    frameworkErrors: (error, request, reply) => {
      keepToCaller(reply)
      reply.headers({ 'x-request-id': request.id, ...rateLimitHeaders(limiter.takeAnonymous(request.ip)) })
      sendError(error, request, reply)
    },
  })

  answerOutsideRoutes(app.server, limiter)
  app.decorateRequest('call')
  app.decorateRequest('actorNow')
  app.decorateRequest('countsLater', false)
  app.decorateRequest('isRepeat', false)
  app.decorateRequest('refusal')
  app.decorateRequest('poll')
  app.addHook('onRoute', (route) => {
    if (isApiUrl(route.url)) route.config = { ...route.config, isApi: true }
  })
  if (tracing) registerSpans(app, tracing)
  registerNotFound(app)
  registerErrorHandler(app)
  registerProtectedResource(app, core)
  registerBodyParser(app, scheduler)
  registerCors(app, config.corsOrigins, limiter)
  // Waiting calls and streams end before the gate waits for all requests under way.
  app.addHook('preClose', async () => {
    core.watches.close()
    core.readyWaits.close()
  })
  registerGate(app, core)
  app.addHook('preHandler', (request, _reply, done) => {
    const turn = scheduler.turn(groupOf(request))
    if (turn) void turn.then(() => done())
    else done()
  })
  if (tracing) resumeSpans(app)
  registerCompression(app)
  boundUnsentBytes(app, scheduler)
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observeRequest(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime)
    const { actor, origin } = request.call ?? {}
    if (actor && actor.keyId !== '') core.usage.countRequest(actor, origin!.usage!, reply.statusCode)
    if (logger.level === 'debug' || logger.level === 'trace') {
      logger.debug(
        {
          ...requestNames(request),
          method: request.method,
          url: request.routeOptions.config.hidesQuery ? request.routeOptions.url : request.url,
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
    // What has arrived is read before the immediate runs, however late the timer is.
    const unusedTimer = setTimeout(() => setImmediate(() => supervised?.closeUnused()), unusedGraceMs).unref()
    app.server.once('close', () => {
      clearInterval(timer)
      clearTimeout(unusedTimer)
    })
  })
  const validators = createValidators()
  const routes = withBatch(createRoutes(core), validators)
  const polling = createPolling(editionOf(config, core.vectors?.model))
  for (const route of routes) bindRoute(app, route, validators, polling)
  const operatorRoutes = createOperatorRoutes(core)
  for (const { path, handler } of operatorRoutes) app.get(path, handler)
  registerDocs(app, routes, operatorRoutes)
  registerConsoleSession(app, core, validators)
  registerSignIn(app, core)
  registerConsoleFiles(app, consoleFolder)
  registerRoot(app, consoleFolder !== undefined)
  return app
}
