import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    isAtWork: boolean
    /** Stops counting the request as in progress: its response is complete, or it waits for an event. */
    endWork(): void
  }
}

/** Above this number, requests would only wait for each other while their bodies and responses fill the memory. */
const maxAtWork = 1_500

interface Overload {
  /** Accepts a request unless too many are in progress. */
  takeOn(request: FastifyRequest, reply: FastifyReply): boolean
  /** Accepted requests whose responses have not been sent completely, including waiting calls and streams. */
  underWay(): number
}

/**
 * Counts the requests in progress. A response that its client does not read is not counted, so that slow clients cannot
 * keep others out. Requests in `waitingForSlot` are not counted either, because their queue has its own limit.
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
        // A request that arrived completely is processed to the end, even if its client has disconnected.
        if (!request.raw.complete) request.endWork()
      })
      return true
    },
    underWay: () => underWay,
  }
}
