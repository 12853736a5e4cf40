import type { FastifyReply, FastifyRequest } from 'fastify'
import { andThen } from '../awaitable.js'
import { rateLimitHeaders } from '../limits/headers.js'
import { countOperations } from '../operations/admission.js'
import type { OperationCall } from '../operations/operation.js'

/** Counts further operations of a request, and shows the limits in its response. */
export const operationCounter =
  (request: FastifyRequest, reply: FastifyReply): OperationCall['countOperations'] =>
  (limits) =>
    andThen(countOperations(request.call, limits), ({ decision, refusal }) => {
      reply.headers(rateLimitHeaders(decision))
      if (refusal) throw refusal
    })

/** Tells when nobody waits for a response any longer. */
export const abandonment =
  (reply: FastifyReply): OperationCall['onAbandoned'] =>
  (listener) =>
    void reply.raw.once('close', listener)
