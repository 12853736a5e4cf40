import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Awaitable, andThen, isPromise } from '../../base/awaitable.js'
import { type ErrorReason, errorCodes } from '../../base/error-reasons.js'
import { AppError, invalid, unavailable } from '../../base/errors.js'
import { traceparentOf } from '../../base/traceparent.js'
import { rateLimitHeaders } from '../../limits/headers.js'
import { overLimit } from '../../limits/over-limit.js'
import type { Identity } from '../../operations/actor.js'
import { type Admissible, type Admission, admit, admitWithoutKey } from '../../operations/admission.js'
import type { Interface, Origin } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import { credentialOf } from '../../tenancy/keys/sessions/credential.js'
import { refusalOf } from '../../tenancy/keys/sign-in/refusals.js'
import { tokenRefused } from '../../tenancy/keys/unauthorized.js'
import { keepToCaller } from '../caching/headers.js'
import { checkConsoleOrigin } from '../console/origin.js'
import { sessionTokenPair } from '../console/session-cookie.js'
import { drain } from '../protection/drain.js'
import { watchOverload } from '../protection/overload.js'
import { interfaceOf, isApiRequest, routeOf } from './request.js'

const noHost = (): AppError => invalid({ path: 'Host', message: 'is required by HTTP/1.1' })

/** A path under /v1 that nothing is at: counted all the same. */
const unrouted: Admissible = {}

const withoutLimit = ({ limit: _, ...rest }: Admissible): Admissible => rest

const authFailureReasons: readonly ErrorReason[] = ['address', 'host', 'origin', 'sign_in']

/** Why a key or a session was not taken; undefined for every other error. */
export const refusalReason = ({ code, reason }: AppError): ErrorReason | undefined =>
  code === 'UNAUTHORIZED' || authFailureReasons.includes(reason) ? reason : undefined

/** A token may be meant for one interface alone. */
export const requireInterface = (identity: Identity, via: Interface | undefined): Identity => {
  if (identity.onlyVia !== undefined && identity.onlyVia !== via) throw tokenRefused('invalid')
  return identity
}

/** Lets a request in: a valid key, within its limits, with the scope that the route asks for. */
export const registerGate = (app: FastifyInstance, core: Core): void => {
  const { authenticator, limiter, sessionAuthenticator, db, clock, scheduler } = core
  const { publicUrl } = core.config

  const originOf = ({ id, ip, headers, routeOptions: { config } }: FastifyRequest, identity?: Identity): Origin => ({
    requestId: id,
    via: identity?.actor.sessionId === undefined ? (config.via ?? interfaceOf(headers['user-agent'])) : 'console',
    address: ip,
    operation: config.operation?.name ?? '',
    traceparent: traceparentOf(headers.traceparent),
    usage: {},
  })

  /** What came of a session; undefined where the request is made with a key. */
  const sessionOf = (request: FastifyRequest): string | undefined => {
    const { headers, routeOptions } = request
    if (headers.authorization !== undefined || routeOptions.config.via !== undefined) return undefined
    const halves = sessionTokenPair(request, publicUrl)
    return halves && credentialOf(halves)
  }

  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): never => {
    const reason = error instanceof AppError ? refusalReason(error) : undefined
    const isStranger = reason !== undefined
    if (isStranger) {
      const session = sessionOf(request)
      const actor =
        session === undefined
          ? authenticator.refusedKey(request.headers.authorization)
          : sessionAuthenticator.refusedKey(session)
      const refusal = refusalOf(error)
      const tenantId = refusal && core.signIn?.tenantIdOfToken(request.headers.authorization)
      const details = { reason, ...(refusal && { refusal }) }
      core.refusals.note({ action: 'auth.failed', actor, tenantId, origin: originOf(request), details })
      if (actor) core.usage.countRequest(actor, {}, errorCodes[(error as AppError).code])
    }
    const decision = isStranger ? limiter.takeAnonymous(request.ip) : limiter.lookAnonymous(request.ip)
    reply.headers(rateLimitHeaders(decision))
    if (isStranger && !decision.isAllowed) throw overLimit(decision)
    throw error
  }

  const enterWith = (admission: Admission, request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(rateLimitHeaders(admission.decision))
    // Refused ones are counted in the usage of their key too.
    request.call = admission.call
    if (admission.refusal && !request.routeOptions.config.answersRefusal) throw admission.refusal
    request.refusal = admission.refusal
    request.countsLater = request.routeOptions.config.operation?.isComposite === true
    const { headers, ip } = request
    request.actorNow ??= () => andThen(authenticator.authenticate(headers.authorization, ip), ({ actor }) => actor)
  }

  /** Whether the request was answered before; asked only of those that would count as more than a request. */
  const isRepeat = (identity: Identity, request: FastifyRequest): Awaitable<boolean> => {
    const { limit, isComposite } = request.routeOptions.config.operation ?? {}
    if (request.method !== 'POST' || (limit === undefined && !isComposite)) return false
    const idempotencyKey = request.headers['idempotency-key']
    if (typeof idempotencyKey !== 'string') return false
    return core.idempotency.isKnown({ db, clock, actor: identity.actor }, routeOf(request), idempotencyKey)
  }

  const count = (identity: Identity, request: FastifyRequest, reply: FastifyReply): Awaitable<void> =>
    andThen(isRepeat(identity, request), (isKnown) => {
      request.isRepeat = isKnown
      return countRequest(identity, request, reply)
    })

  const countRequest = (identity: Identity, request: FastifyRequest, reply: FastifyReply): Awaitable<void> => {
    const { operation = unrouted } = request.routeOptions.config
    const wanted = request.isRepeat ? withoutLimit(operation) : operation
    const admission = admit(core, identity, wanted, originOf(request, identity))
    if (!isPromise(admission)) return enterWith(admission, request, reply)
    return admission.then(
      (made) => enterWith(made, request, reply),
      (error) => refuse(error, request, reply),
    )
  }

  /** Counts requests in their tenant's turn, even requests that are refused at once. */
  const countInTurn = (identity: Identity, request: FastifyRequest, reply: FastifyReply): Awaitable<void> => {
    const turn = scheduler.turn(identity.actor.tenantId)
    return turn ? turn.then(() => count(identity, request, reply)) : count(identity, request, reply)
  }

  const identifySession = (request: FastifyRequest, session: string): Awaitable<Identity> => {
    checkConsoleOrigin(request, publicUrl)
    const authenticate = (): Awaitable<Identity> => sessionAuthenticator.authenticate(session, request.ip)
    request.actorNow = () => andThen(authenticate(), ({ actor }) => actor)
    return authenticate()
  }

  const identify = (request: FastifyRequest): Awaitable<Identity> => {
    const session = sessionOf(request)
    if (session !== undefined) return identifySession(request, session)
    const { authorization } = request.headers
    const { via } = request.routeOptions.config
    return andThen(authenticator.authenticate(authorization, request.ip), (known) => requireInterface(known, via))
  }

  const rejectUnauthenticated = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const isOpen = request.routeOptions.config.operation?.isOpen && error instanceof AppError && refusalReason(error)
    if (!isOpen) refuse(error, request, reply)
    enterWith(admitWithoutKey(core, request.ip, originOf(request)), request, reply)
  }

  const enter = (request: FastifyRequest, reply: FastifyReply): Awaitable<void> => {
    let identity: Awaitable<Identity>
    try {
      identity = identify(request)
    } catch (error) {
      return rejectUnauthenticated(error, request, reply)
    }
    if (!isPromise(identity)) return countInTurn(identity, request, reply)
    return identity.then(
      (known) => countInTurn(known, request, reply),
      (error) => rejectUnauthenticated(error, request, reply),
    )
  }

  const overload = watchOverload(app, () => core.workSlots.load().waiting)
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    await drain(app.server, () => overload.underWay() === 0)
  })

  // With a callback and not async: most requests are let in without waiting for anything.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    const isApi = isApiRequest(request)
    if (isApi) keepToCaller(reply)
    try {
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1') refuse(noHost(), request, reply)
      if (!isApi) return done()
      if (isClosing || core.draining.aborted) reply.header('connection', 'close')
      if (isClosing) refuse(unavailable('The service is shutting down. Try again shortly.', 1), request, reply)
      if (!overload.takeOn(request, reply)) {
        refuse(unavailable('Too many requests are under way. Try again shortly.', 1), request, reply)
      }
      const entered = enter(request, reply)
      if (isPromise(entered)) entered.then(() => done(), done)
      else done()
    } catch (error) {
      done(error as Error)
    }
  })
}
