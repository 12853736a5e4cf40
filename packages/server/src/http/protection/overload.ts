import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    isAtWork: boolean
    /** Stops counting the request as work: its response is complete, or it waits for something to happen. */
    endWork(): void
  }
}

/** Requests beyond this number would only wait for each other, and their bodies and responses fill the memory. */
const maxAtWork = 1_500

interface Overload {
  /** Accepts a request unless too many are at work. */
  takeOn(request: FastifyRequest, reply: FastifyReply): boolean
  /** Accepted requests whose responses have not been sent completely, waiting calls and streams included. */
  underWay(): number
}

/**
 * Counts the requests at work. A response that its client has not read is no work, because a client that does not read
 * must not keep others out. `waitingForSlot` requests are not counted either: their queue has a bound of its own.
 */
export const watchOverload = (app: FastifyInstance, waitingForSlot: () => number): Overload => {
  let underWay = 0
  let atWork = 0

  app.decorateRequest('isAtWork', false)
  app.decorateRequest('endWork', function () {
    if (this.isAtWork) atWork--
    this.isAtWork = false
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.endWork()
    done(null, payload)
  })

  return {
    takeOn: (request, reply) => {
      if (atWork - waitingForSlot() >= maxAtWork) return false
      atWork++
      underWay++
      request.isAtWork = true
      reply.raw.once('close', () => {
        underWay--
        // A request that arrived completely is worked on to its end, whether or not its client is still there.
        if (!request.raw.complete) request.endWork()
      })
      return true
    },
    underWay: () => underWay,
  }
}
