import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../base/errors.js'
import { rateLimitHeaders } from '../../../limits/headers.js'
import { overLimit } from '../../../limits/over-limit.js'
import type { Core } from '../../../operations/core.js'
import { endSessionsAt, type SignIn } from '../../../tenancy/keys/sign-in/service.js'
import { issuerOfToken } from '../../../tenancy/keys/sign-in/tokens.js'
import { tokenRefused } from '../../../tenancy/keys/unauthorized.js'
import { noStore } from '../../caching/headers.js'

const maxBodyBytes = 16_384

const logoutTokenOf = ({ body }: FastifyRequest): string =>
  (body instanceof URLSearchParams ? body.get('logout_token') : null) ?? ''

/** Lets issuers end sessions (OpenID Connect Back-Channel Logout 1.0). */
export const registerIssuerLogout = (app: FastifyInstance, core: Core, signIn: SignIn): void => {
  const { db, clock, limiter } = core

  const endSessions = async (request: FastifyRequest): Promise<void> => {
    const token = logoutTokenOf(request)
    const client = signIn.clientOf(issuerOfToken(token))
    if (!client) throw tokenRefused('invalid')
    await endSessionsAt({ signIn, db, clock }, client, await client.verifyLogoutToken(token), request.ip)
  }

  /** In the form of OAuth, which issuers read. */
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error
    const decision = limiter.takeAnonymous(request.ip)
    reply.headers(rateLimitHeaders(decision))
    if (!decision.isAllowed) throw overLimit(decision)
    core.refusals.note({
      action: 'auth.failed',
      actor: undefined,
      origin: { requestId: request.id, via: 'console', address: request.ip },
      details: { reason: 'logout_token' },
    })
    return reply.code(400).send({ error: 'invalid_request', error_description: 'The logout token is not valid.' })
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
      done(null, new URLSearchParams(String(text))),
    )
    scope.post('/console/oidc/logout', { bodyLimit: maxBodyBytes }, async (request, reply) => {
      reply.header('cache-control', noStore)
      try {
        await endSessions(request)
        return reply.code(200).send()
      } catch (error) {
        return refuse(error, request, reply)
      }
    })
  })
}
