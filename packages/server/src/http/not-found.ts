import type { FastifyInstance } from 'fastify'
import { AppError } from '../base/errors.js'
import { isApiUrl } from './api/request.js'
import { keepToCaller } from './caching/headers.js'
import { sendError } from './errors.js'

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

const patternOf = (url: string): RegExp => {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.+')}$`)
}

/** Tells a wrong method, with those that would do, from a path that does not exist. Call it before the routes. */
export const registerNotFound = (app: FastifyInstance): void => {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const name of [method].flat()) known.methods.add(name)
    paths.set(url, known)
  })

  app.setNotFoundHandler((request, reply) => {
    // The gate has done so under /v1.
    if (!isApiUrl(request.url)) keepToCaller(reply)
    const path = request.url.split('?', 1)[0]!
    const methods = new Set<string>()
    for (const known of paths.values()) {
      if (known.pattern.test(path)) for (const method of known.methods) methods.add(method)
    }
    if (methods.size === 0) {
      return sendError(
        new AppError('no_route', `No route for ${request.method} ${path}. GET /openapi.json lists all routes.`),
        request,
        reply,
      )
    }
    const allow = [...methods].sort().join(', ')
    reply.header('allow', allow)
    return sendError(new AppError('method', `${request.method} is not allowed here. Use ${allow}.`), request, reply)
  })
}
