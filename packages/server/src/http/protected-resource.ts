import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Core } from '../operations/core.js'
import { mcpPath, mcpPaths } from './api/request.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The value of `WWW-Authenticate` for a request that was not authenticated. */
    challengeOf(request: FastifyRequest, reason: unknown): string
  }
}

const metadataPath = '/.well-known/oauth-protected-resource'

/** Tells clients which issuers' tokens are accepted (RFC 9728), so that they can sign in by themselves. */
export const registerProtectedResource = (app: FastifyInstance, { signIn, config: { publicUrl } }: Core): void => {
  app.decorate('challengeOf', (request: FastifyRequest, reason: unknown): string => {
    if (!signIn || request.routeOptions.config.isApi !== true) return 'Bearer'
    const ofMcp = mcpPaths.includes(request.routeOptions.url ?? '') ? mcpPath : ''
    const error = reason === 'missing' ? '' : 'error="invalid_token", '
    return `Bearer ${error}resource_metadata="${publicUrl}${metadataPath}${ofMcp}"`
  })
  if (!signIn) return
  // Keycloak lets no client register with `openid`, which an access token does not need.
  const scopes = signIn.clients.flatMap(({ settings }) => settings.scope.split(' ')).filter((name) => name !== 'openid')
  for (const path of ['', mcpPath]) {
    const metadata = {
      resource: `${publicUrl}${path}`,
      authorization_servers: signIn.clients.map(({ settings }) => settings.issuer),
      scopes_supported: [...new Set(scopes)],
      bearer_methods_supported: ['header'],
      resource_name: 'Worklore',
    }
    app.get(metadataPath + path, (_request, reply) =>
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }).send(metadata),
    )
  }
}
