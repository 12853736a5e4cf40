import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../errors.js'
import { version } from '../version.js'
import { readDocsPage } from './docs-page.js'
import { openApiDocument } from './openapi.js'
import type { OperatorRoute } from './operator-routes.js'
import { registerPageHeaders } from './page-headers.js'
import type { Route } from './route.js'
import { sendStatic, staticBytes } from './static-bytes.js'

/** Serves the document, and a page to read and try it that asks nothing of the outside. */
export const registerDocs = (
  app: FastifyInstance,
  routes: readonly Route[],
  operatorRoutes: readonly OperatorRoute[],
): void => {
  const documentRoute: OperatorRoute = {
    path: '/openapi.json',
    name: 'getOpenApi',
    summary: 'This document',
    output: Type.Object({ openapi: Type.String() }),
    handler: (request, reply) => sendStatic(request, reply, document),
  }
  const document = staticBytes(
    JSON.stringify(openApiDocument(routes, [...operatorRoutes, documentRoute], version)),
    'application/json; charset=utf-8',
  )
  app.get(documentRoute.path, documentRoute.handler)
  const { page, files } = readDocsPage()
  app.register(async (pages) => {
    registerPageHeaders(pages)
    pages.get('/docs', (request, reply) => sendStatic(request, reply, page))
    pages.get('/docs/', (_request, reply) => reply.redirect('../docs'))
    pages.get('/docs/json', (request, reply) => sendStatic(request, reply, document))
    pages.get('/docs/static/index.html', (_request, reply) => reply.redirect('../../docs'))
    pages.get<{ Params: { file: string } }>('/docs/static/:file', (request, reply) => {
      const file = files.get(request.params.file)
      if (!file) throw new AppError('NOT_FOUND', 'File not found. The documentation is at GET /docs.')
      return sendStatic(request, reply, file)
    })
  })
}
