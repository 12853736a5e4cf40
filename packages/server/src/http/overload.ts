import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    isUnderWay: boolean
  }
}

/** More than that only wait for each other, and their bodies and answers fill the memory. */
const mostUnderWay = 1_500
const turnMs = 100
/** A crowd that arrives at once is served; one that keeps the event loop from turning for longer than this is not. */
const longestTurnMs = 500
const crowd = 1_000

export interface Overload {
  /** Takes on a request, unless those before it are more than can be served soon. */
  takeOn(request: FastifyRequest): boolean
  underWay(): number
}

/** Watches how many requests are under way and whether the event loop still turns. */
export const watchOverload = (app: FastifyInstance): Overload => {
  let underWay = 0
  let arrivals = 0
  let turnedAtMs = performance.now()
  const turning = setInterval(() => {
    arrivals = 0
    turnedAtMs = performance.now()
  }, turnMs).unref()

  app.decorateRequest('isUnderWay', false)
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.isUnderWay) underWay--
    done()
  })
  app.addHook('onClose', async () => clearInterval(turning))

  return {
    takeOn: (request) => {
      arrivals++
      if (request.routeOptions.config.isWaiting) return true
      if (underWay >= mostUnderWay) return false
      if (arrivals > crowd && performance.now() - turnedAtMs > longestTurnMs) return false
      underWay++
      request.isUnderWay = true
      return true
    },
    underWay: () => underWay,
  }
}
