import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../base/errors.js'
import { version } from '../../config.js'
import { sendStatic, staticBytes } from '../console/static-bytes.js'
import type { OperatorRoute } from '../operator-routes.js'
import { registerPageHeaders } from '../protection/page-headers.js'
import type { Route } from '../route.js'
import { openApiDocument } from './openapi.js'
import { readDocsPage } from './page.js'

/** What is seldom asked for is made by the first who asks: a start does not wait for it, nor does memory hold it. */
const onFirstUse = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

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
    handler: (request, reply) => sendStatic(request, reply, document()),
  }
  const document = onFirstUse(() =>
    staticBytes(
      JSON.stringify(openApiDocument(routes, [...operatorRoutes, documentRoute], version)),
      'application/json; charset=utf-8',
    ),
  )
  app.get(documentRoute.path, documentRoute.handler)
  const docs = onFirstUse(readDocsPage)
  app.register(async (pages) => {
    registerPageHeaders(pages)
    pages.get('/docs', (request, reply) => sendStatic(request, reply, docs().page))
    pages.get('/docs/', (_request, reply) => reply.redirect('../docs'))
    pages.get('/docs/json', (request, reply) => sendStatic(request, reply, document()))
    pages.get('/docs/static/index.html', (_request, reply) => reply.redirect('../../docs'))
    pages.get<{ Params: { file: string } }>('/docs/static/:file', (request, reply) => {
      const file = docs().files.get(request.params.file)
      if (!file) throw new AppError('no_route', 'File not found. The documentation is at GET /docs.')
      return sendStatic(request, reply, file)
    })
  })
}
