import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    isAtWork: boolean
  }
}

/** More than that only wait for each other, and their bodies and answers fill the memory. */
const maxAtWork = 1_500
const turnMs = 100
/** A crowd that arrives at once is served; one that keeps the event loop from turning for longer than this is not. */
const maxTurnMs = 500
const crowd = 1_000

interface Overload {
  /** Takes on a request, unless those before it are more than can be served soon. */
  takeOn(request: FastifyRequest, reply: FastifyReply): boolean
  /** Requests taken on whose answers have not been sent whole. */
  underWay(): number
}

/**
 * Watches how many requests are at work and whether the event loop still turns. An answer that is made and not yet
 * read by its client is no work: a client that does not read must not keep others out. Nor is a request that waits for
 * the turn of its tenant: those have a bound of their own.
 */
export const watchOverload = (app: FastifyInstance, waitingForTurn: () => number): Overload => {
  let underWay = 0
  let atWork = 0
  let arrivals = 0
  let turnedAtMs = performance.now()
  const turning = setInterval(() => {
    arrivals = 0
    turnedAtMs = performance.now()
  }, turnMs).unref()

  const endWork = (request: FastifyRequest): void => {
    if (!request.isAtWork) return
    request.isAtWork = false
    atWork--
  }

  app.decorateRequest('isAtWork', false)
  app.addHook('onSend', (request, _reply, payload, done) => {
    endWork(request)
    done(null, payload)
  })
  app.addHook('onClose', async () => clearInterval(turning))

  return {
    takeOn: (request, reply) => {
      arrivals++
      if (request.routeOptions.config.operation?.isWaiting) return true
      if (atWork - waitingForTurn() >= maxAtWork) return false
      if (arrivals > crowd && performance.now() - turnedAtMs > maxTurnMs) return false
      atWork++
      underWay++
      request.isAtWork = true
      reply.raw.once('close', () => {
        underWay--
        // A request that arrived whole is worked on to its end, whether or not its client is still there.
        if (!request.raw.complete) endWork(request)
      })
      return true
    },
    underWay: () => underWay,
  }
}
