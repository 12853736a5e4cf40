import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Static, Type } from 'typebox'
import { AppError, invalid } from '../../base/errors.js'
import { rateLimitHeaders } from '../../limits/headers.js'
import { overLimit } from '../../limits/over-limit.js'
import { type Actor, holdsScope, type Identity } from '../../operations/actor.js'
import { admit } from '../../operations/admission.js'
import type { Origin } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import { credentialOfRef } from '../../tenancy/keys/key-ref.js'
import { credentialOf } from '../../tenancy/keys/sessions/credential.js'
import { linkEnded, otherSession, sessionEnded } from '../../tenancy/keys/sessions/errors.js'
import { type FoundLink, findLink } from '../../tenancy/keys/sessions/links.js'
import { endSession, openSession } from '../../tenancy/keys/sessions/service.js'
import { sendJson } from '../api/answer.js'
import { refusalReason, requireInterface } from '../api/gate.js'
import type { Validators } from '../api/validation.js'
import { noStore } from '../caching/headers.js'
import { checkConsoleOrigin } from './origin.js'
import { clearedCookie, sessionCookie, sessionTokenPair } from './session-cookie.js'
import { linkCookie } from './sign-in/cookies.js'

const Credential = Type.Object(
  {
    link: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    /** Signs in with a link though the browser has a session of another tenant or person. */
    replace: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type Credential = Static<typeof Credential>

const maxBodyBytes = 4_096

interface Identified {
  identity: Identity
  link: FoundLink | undefined
}

/** A key without a user is a person of its own. */
const isSamePerson = (one: Actor, other: Actor): boolean =>
  one.tenantId === other.tenantId && (one.keyId === other.keyId || (one.userId !== null && one.userId === other.userId))

/** Signing in to the web console and out of it: a link or a key is traded for a session, whose halves it answers. */
export const registerConsoleSession = (app: FastifyInstance, core: Core, validators: Validators): void => {
  const { authenticator, sessionAuthenticator, limiter, openStreams, db, clock } = core
  const { publicUrl } = core.config
  const check = validators.body(Credential)

  const originOf = ({ id, ip }: FastifyRequest, operation: string): Origin => ({
    requestId: id,
    via: 'console',
    address: ip,
    operation,
  })

  const credentialIn = (body: unknown): Credential => {
    const details = check(body)
    if (details.length > 0) throw invalid(...details)
    const { link, key, replace } = body as Credential
    if ((link === undefined) === (key === undefined))
      throw invalid({ path: '', message: 'must have either link or key' })
    return { link, key, replace } as Credential
  }

  const browser = publicUrl === undefined ? undefined : linkCookie(publicUrl)

  const identifyByLink = async (text: string, request: FastifyRequest): Promise<Identified> => {
    const { ip } = request
    if (!limiter.lookUps.take(ip)) throw linkEnded()
    const link = await findLink(db, clock, text, browser?.values(request) ?? [])
    const identity = await core.keyRefs.authenticate(credentialOfRef(link.key), ip)
    limiter.lookUps.giveBack(ip)
    return { identity, link }
  }

  const identifyByKey = async (key: string, { ip }: FastifyRequest): Promise<Identified> => {
    const identity = await authenticator.authenticate(`Bearer ${key}`, ip)
    return { identity: requireInterface(identity, 'console'), link: undefined }
  }

  const identify = (request: FastifyRequest, { link, key }: Credential): Promise<Identified> =>
    link === undefined ? identifyByKey(key!, request) : identifyByLink(link, request)

  /** Undefined where the browser has no live session. */
  const presentActor = async (request: FastifyRequest): Promise<Actor | undefined> => {
    const halves = sessionTokenPair(request, publicUrl)
    if (!halves) return undefined
    try {
      return (await sessionAuthenticator.authenticate(credentialOf(halves), request.ip)).actor
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED') return undefined
      throw error
    }
  }

  /** Anyone can send a link of their own: unnoticed, a person would go on working in someone else's name. */
  const checkReplaces = async (request: FastifyRequest, next: Actor): Promise<void> => {
    const present = await presentActor(request)
    if (present && !isSamePerson(present, next)) throw otherSession(present, next)
  }

  /** Counted as every other request without a valid key. */
  const rejectUnauthenticated = (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    operation: string,
  ): never => {
    const reason = error instanceof AppError ? refusalReason(error) : undefined
    if (reason !== undefined) {
      const origin = originOf(request, operation)
      core.refusals.note({ action: 'auth.failed', actor: undefined, origin, details: { reason } })
    }
    const decision = limiter.takeAnonymous(request.ip)
    reply.headers(rateLimitHeaders(decision))
    throw decision.isAllowed ? error : overLimit(decision)
  }

  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    reply.header('cache-control', noStore)
    done()
  }

  app.post('/console/session', { onRequest, bodyLimit: maxBodyBytes }, async (request, reply) => {
    const operation = 'openSession'
    const { identity, link, isReplacing } = await Promise.resolve()
      .then(() => checkConsoleOrigin(request, publicUrl))
      .then(async () => {
        const credential = credentialIn(request.body)
        return { ...(await identify(request, credential)), isReplacing: credential.replace === true }
      })
      .catch((error) => rejectUnauthenticated(error, request, reply, operation))
    if (link && !isReplacing) await checkReplaces(request, identity.actor)
    // An agent's key could use up the window in which people stop it.
    const isSignIn = link !== undefined || holdsScope(identity.actor, 'admin')
    const { decision, refusal, call } = await admit(core, identity, { isSignIn }, originOf(request, operation))
    reply.headers(rateLimitHeaders(decision))
    if (refusal) throw refusal
    const userAgent = request.headers['user-agent']
    const { session, halves } = await openSession(call, openStreams, { link, userAgent })
    const usedUp = link?.signIn && browser ? [browser.cleared()] : []
    reply.code(201).header('set-cookie', [sessionCookie(request, publicUrl, halves.cookie), ...usedUp])
    return sendJson(reply, JSON.stringify({ data: { ...session, secret: halves.secret } }))
  })

  app.delete('/console/session', { onRequest }, async (request, reply) => {
    const operation = 'closeSession'
    const identifySession = async (): Promise<Identity> => {
      checkConsoleOrigin(request, publicUrl)
      reply.header('set-cookie', clearedCookie(request, publicUrl))
      const halves = sessionTokenPair(request, publicUrl)
      if (!halves) throw sessionEnded()
      return sessionAuthenticator.authenticate(credentialOf(halves), request.ip)
    }
    const { actor } = await identifySession().catch((error) => rejectUnauthenticated(error, request, reply, operation))
    const id = actor.sessionId!
    await endSession({ db, clock, actor, origin: originOf(request, operation) }, id)
    return sendJson(reply, JSON.stringify({ data: { id, deleted: true } }))
  })
}
