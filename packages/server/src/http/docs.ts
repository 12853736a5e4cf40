import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { RouteOptions } from 'fastify'
import { version } from '../version.js'
import { openApiDocument } from './openapi.js'
import { isApiUrl } from './request.js'
import type { App } from './server.js'

/** Notes the routes of the interface as they are added. Call it before them. */
export const collectApiRoutes = (app: App): readonly RouteOptions[] => {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (isApiUrl(route.url) && route.method !== 'HEAD') routes.push(route)
  })
  return routes
}

/** Serves the document, and a page to read and try it that asks nothing of the outside. */
export const registerDocs = (app: App, routes: readonly RouteOptions[]): void => {
  const document = openApiDocument(routes, version)
  app.get('/openapi.json', (_request, reply) => reply.send(document))
  app.register(swagger, {
    mode: 'static',
    // Its types know no OpenAPI 3.1; the page does.
    specification: { document: document as unknown as NonNullable<StaticDocumentSpec['document']> },
  })
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { validatorUrl: null, persistAuthorization: true, tryItOutEnabled: true, docExpansion: 'list' },
    theme: { title: 'Worklore' },
  })
}
