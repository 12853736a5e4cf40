import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireScope } from '../actor.js'
import { type Awaitable, isPromise } from '../awaitable.js'
import type { Core } from '../core.js'
import { AppError, invalid, unavailable } from '../errors.js'
import type { Identity } from '../keys/authenticator.js'
import { rateLimitHeaders } from '../limits/headers.js'
import type { Decision } from '../limits/limiter.js'
import { overLimit } from '../limits/over-limit.js'
import type { Plan } from '../limits/plans.js'
import { drain } from './drain.js'
import { watchOverload } from './overload.js'
import { isApiRequest } from './request.js'

const noHost = (): AppError => invalid({ path: 'Host', message: 'is required by HTTP/1.1' })

/** Lets a request in: a valid key, within its limits, with the scope that the route asks for. */
export const registerGate = (app: FastifyInstance, core: Core): void => {
  const { authenticator, limiter, plans, keyUsage, db, clock } = core

  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): never => {
    const isStranger = error instanceof AppError && error.code === 'UNAUTHORIZED'
    const decision = isStranger ? limiter.takeAnonymous(request.ip) : limiter.lookAnonymous(request.ip)
    reply.headers(rateLimitHeaders(decision))
    if (isStranger && !decision.isAllowed) throw overLimit(decision)
    throw error
  }

  const admit = (
    identity: Identity,
    plan: Plan,
    decision: Decision,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void => {
    reply.headers(rateLimitHeaders(decision))
    if (!decision.isAllowed) throw overLimit(decision, plan)
    keyUsage.note(identity.actor)
    request.plan = plan
    request.call = { db, clock, actor: identity.actor }
    const { scope } = request.routeOptions.config
    if (scope) requireScope(identity.actor, scope)
  }

  const count = (identity: Identity, request: FastifyRequest, reply: FastifyReply): Awaitable<void> => {
    const plan = plans.get(identity.plan) ?? plans.get('free')!
    const decision = limiter.take(identity.actor.tenantId, plan, request.routeOptions.config.limit)
    if (!isPromise(decision)) return admit(identity, plan, decision, request, reply)
    return decision.then(
      (made) => admit(identity, plan, made, request, reply),
      (error) => refuse(error, request, reply),
    )
  }

  const enter = (request: FastifyRequest, reply: FastifyReply): Awaitable<void> => {
    let identity: Awaitable<Identity>
    try {
      identity = authenticator.authenticate(request.headers.authorization)
    } catch (error) {
      return refuse(error, request, reply)
    }
    if (!isPromise(identity)) return count(identity, request, reply)
    return identity.then(
      (known) => count(known, request, reply),
      (error) => refuse(error, request, reply),
    )
  }

  const overload = watchOverload(app)
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    await drain(app.server, () => overload.underWay() === 0)
  })

  // With a callback and not async: most requests are let in without waiting for anything.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    try {
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1') refuse(noHost(), request, reply)
      if (!isApiRequest(request)) return done()
      if (isClosing) reply.header('connection', 'close')
      if (isClosing) refuse(unavailable('The service is shutting down. Try again shortly.', 1), request, reply)
      if (!overload.takeOn(request)) {
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
