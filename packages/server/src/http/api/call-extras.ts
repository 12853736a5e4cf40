import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Awaitable, andThen } from '../../base/awaitable.js'
import { rateLimitHeaders } from '../../limits/headers.js'
import type { RequestWindows } from '../../limits/limiter.js'
import { countOperations } from '../../operations/admission.js'
import type { OperationCall } from '../../operations/operation.js'

/** Counts further operations of a request, and shows the limits in its response. A repeat makes none: it is one request. */
export const operationCounter =
  (
    request: FastifyRequest,
    reply: FastifyReply,
    countsIn: RequestWindows | null = request.call.countsIn,
  ): OperationCall['countOperations'] =>
  (limits) => {
    request.countsLater = false
    const counted = countOperations(request.call, countsIn, request.isRepeat ? [undefined] : limits)
    return andThen(counted, ({ decision, refusal }) => {
      reply.headers(rateLimitHeaders(decision))
      return refusal && andThen(giveBack(request), () => Promise.reject(refusal))
    })
  }

/** Removes a request from the rate limit windows that counted it on arrival, because a limit refused it. */
const giveBack = ({ call, isRepeat, routeOptions }: FastifyRequest): Awaitable<unknown> => {
  const { operation } = routeOptions.config
  if (!operation || operation.isComposite) return
  return call.core.limiter.giveBack(call.actor.tenantId, isRepeat ? undefined : operation.limit, call.countsIn)
}

/** Tells when nobody waits for a response any longer. */
export const abandonment =
  (reply: FastifyReply): OperationCall['onAbandoned'] =>
  (listener) =>
    void reply.raw.once('close', listener)
