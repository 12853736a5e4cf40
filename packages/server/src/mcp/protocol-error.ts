import type { FastifyReply } from 'fastify'

/** A request has an id, which its answer repeats; a notification has none. */
export type RequestId = string | number | null

export const sendProtocolError = (
  reply: FastifyReply,
  status: number,
  error: { code: number; message: string },
  id: RequestId = null,
): FastifyReply => reply.code(status).send({ jsonrpc: '2.0', id, error })
