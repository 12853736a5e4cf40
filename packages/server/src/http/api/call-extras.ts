import type { FastifyReply, FastifyRequest } from 'fastify'
import { andThen } from '../../base/awaitable.js'
import { rateLimitHeaders } from '../../limits/headers.js'
import { countOperations } from '../../operations/admission.js'
import type { OperationCall } from '../../operations/operation.js'

/** Counts further operations of a request, and shows the limits in its response. A repeat makes none: it is one request. */
export const operationCounter =
  (request: FastifyRequest, reply: FastifyReply): OperationCall['countOperations'] =>
  (limits) => {
    request.countsLater = false
    return andThen(countOperations(request.call, request.isRepeat ? [undefined] : limits), ({ decision, refusal }) => {
      reply.headers(rateLimitHeaders(decision))
      if (refusal) throw refusal
    })
  }

/** Tells when nobody waits for a response any longer. */
export const abandonment =
  (reply: FastifyReply): OperationCall['onAbandoned'] =>
  (listener) =>
    void reply.raw.once('close', listener)
