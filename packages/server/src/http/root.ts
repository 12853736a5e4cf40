import type { FastifyInstance } from 'fastify'
import { version } from '../config.js'

const places = {
  name: 'worklore',
  version,
  api: '/v1',
  mcp: '/mcp',
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  readiness: '/readyz',
  metrics: '/metrics',
}

/** Leads a browser to the console or the docs, and tells a program where things are. No key, not counted. */
export const registerRoot = (app: FastifyInstance, hasConsole: boolean): void => {
  const page = hasConsole ? '/console/' : '/docs'
  const json = JSON.stringify({ ...places, ...(hasConsole && { console: page }) })
  app.get('/', (request, reply) => {
    reply.header('vary', 'Accept')
    if (request.headers.accept?.includes('text/html')) return reply.redirect(page, 302)
    return reply.header('content-type', 'application/json; charset=utf-8').send(json)
  })
}
