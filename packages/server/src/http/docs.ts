import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { version } from '../version.js'
import { openApiDocument } from './openapi.js'
import { registerPageHeaders } from './page-headers.js'
import type { App } from './routes.js'

/** Notes the routes that are to be documented as they are added. Call it before them. */
export const collectDocumentedRoutes = (app: App): readonly RouteOptions[] => {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.schema?.operationId !== undefined && route.method !== 'HEAD') routes.push(route)
  })
  return routes
}

/** Serves the document, and a page to read and try it that asks nothing of the outside. */
export const registerDocs = (app: App, routes: readonly RouteOptions[]): void => {
  app.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        summary: 'This document',
        tags: ['Operation'],
        answers: { 200: Type.Object({ openapi: Type.String() }) },
      },
    },
    (_request, reply) => reply.send(document),
  )
  const document = openApiDocument(routes, version)
  app.register(swagger, {
    mode: 'static',
    // Its types know no OpenAPI 3.1; the page does.
    specification: { document: document as unknown as NonNullable<StaticDocumentSpec['document']> },
  })
  app.register(async (pages) => {
    registerPageHeaders(pages)
    pages.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: {
        layout: 'BaseLayout',
        validatorUrl: null,
        persistAuthorization: true,
        tryItOutEnabled: true,
        docExpansion: 'list',
      },
      theme: { title: 'Worklore' },
    })
  })
}
