import type { FastifyReply } from 'fastify'

/** For what shows a secret: nobody keeps it. */
export const noStore = 'no-store'

const ofCallers = 'Authorization, Cookie'

/**
 * Lets nobody show an answer to another caller, or again without asking. An `ETag` does not tell callers apart: it is the
 * version of a record, and records of two tenants may have one address and one version.
 */
export const keepToCaller = (reply: FastifyReply): void => {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? ofCallers : `${vary}, ${ofCallers}`)
  reply.header('cache-control', 'private, no-cache')
}
