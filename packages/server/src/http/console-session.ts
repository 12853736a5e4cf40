import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Origin } from '../call.js'
import type { Core } from '../core.js'
import { AppError, invalid } from '../errors.js'
import type { Identity } from '../keys/authenticator.js'
import { createKeyWatch } from '../keys/key-watch.js'
import { rateLimitHeaders } from '../limits/headers.js'
import { overLimit } from '../limits/over-limit.js'
import { admit } from '../operations/admission.js'
import { credentialOf } from '../sessions/credential.js'
import { linkEnded, sessionEnded } from '../sessions/errors.js'
import { findLink } from '../sessions/links.js'
import { endSession, openSession } from '../sessions/service.js'
import { sendJson } from './answer.js'
import { checkConsoleOrigin } from './console-origin.js'
import { refusalReason } from './gate.js'
import { clearedCookie, halvesOf, sessionCookie } from './session-cookie.js'
import type { Validators } from './validation.js'

const Credential = Type.Object(
  {
    link: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  },
  { additionalProperties: false },
)
type Credential = Static<typeof Credential>

const maxBodyBytes = 4_096

/** Signing in to the web console and out of it: a link or a key is traded for a session, whose halves it answers. */
export const registerConsoleSession = (app: FastifyInstance, core: Core, validators: Validators): void => {
  const { authenticator, sessions, limiter, openStreams, db, clock } = core
  const { publicUrl } = core.config
  const check = validators.body(Credential)

  const originOf = ({ id, ip }: FastifyRequest, operation: string): Origin => ({
    requestId: id,
    door: 'console',
    address: ip,
    operation,
  })

  const credentialIn = (body: unknown): Credential => {
    const details = check(body)
    if (details.length > 0) throw invalid(...details)
    const { link, key } = body as Credential
    if ((link === undefined) === (key === undefined))
      throw invalid({ path: '', message: 'must have either link or key' })
    return { link, key } as Credential
  }

  const identifyByLink = async (link: string, address: string): Promise<{ identity: Identity; linkHash: string }> => {
    if (!limiter.lookUps.take(address)) throw linkEnded()
    const { key, hash } = await findLink(db, clock, link)
    const identity = await createKeyWatch(db, clock, key, address)()
    limiter.lookUps.giveBack(address)
    return { identity, linkHash: hash }
  }

  const identify = async ({ ip }: FastifyRequest, { link, key }: Credential) =>
    link === undefined
      ? { identity: await authenticator.authenticate(`Bearer ${key}`, ip), linkHash: undefined }
      : identifyByLink(link, ip)

  /** Counted as every other request without a valid key. */
  const turnAway = (error: unknown, request: FastifyRequest, reply: FastifyReply, operation: string): never => {
    const reason = error instanceof AppError ? refusalReason(error) : undefined
    if (reason !== undefined) {
      const origin = originOf(request, operation)
      core.refusals.note({ action: 'auth.failed', actor: undefined, origin, details: { reason } })
    }
    const decision = limiter.takeAnonymous(request.ip)
    reply.headers(rateLimitHeaders(decision))
    throw decision.isAllowed ? error : overLimit(decision)
  }

  app.post('/console/session', { bodyLimit: maxBodyBytes }, async (request, reply) => {
    const operation = 'openSession'
    const { identity, linkHash } = await Promise.resolve()
      .then(() => checkConsoleOrigin(request, publicUrl))
      .then(() => identify(request, credentialIn(request.body)))
      .catch((error) => turnAway(error, request, reply, operation))
    const { decision, refusal, call } = await admit(core, identity, {}, originOf(request, operation))
    reply.headers(rateLimitHeaders(decision))
    if (refusal) throw refusal
    const userAgent = request.headers['user-agent']
    const { session, halves } = await openSession(call, openStreams, { linkHash, userAgent })
    reply.code(201).headers({
      'set-cookie': sessionCookie(request, publicUrl, halves.cookie),
      'cache-control': 'no-store',
    })
    return sendJson(reply, JSON.stringify({ data: { ...session, secret: halves.secret } }))
  })

  app.delete('/console/session', async (request, reply) => {
    const operation = 'closeSession'
    const identifySession = async (): Promise<Identity> => {
      checkConsoleOrigin(request, publicUrl)
      reply.header('set-cookie', clearedCookie(request, publicUrl))
      const halves = halvesOf(request, publicUrl)
      if (!halves) throw sessionEnded()
      return sessions.authenticator.authenticate(credentialOf(halves), request.ip)
    }
    const { actor } = await identifySession().catch((error) => turnAway(error, request, reply, operation))
    const id = actor.sessionId!
    await endSession({ db, clock, actor, origin: originOf(request, operation) }, id)
    return sendJson(reply, JSON.stringify({ data: { id, deleted: true } }))
  })
}
