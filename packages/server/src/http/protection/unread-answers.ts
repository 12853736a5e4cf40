import type { FastifyInstance } from 'fastify'
import { type AppError, unavailable } from '../../base/errors.js'

/** Smaller answers are bounded by their connections. */
const largeBytes = 65_536
const maxUnreadBytesOfTenant = 67_108_864
const retryAfterSeconds = 1

interface Unread {
  bytes: number
  /** Routes whose answers were refused, with the time until which they are refused without making them. */
  refusedUntilMs: Map<string, number>
}

const tooManyUnread = (): AppError =>
  unavailable('Too many large responses have not been read yet. Read them, then try again.', retryAfterSeconds)

/**
 * Bounds the large answers that a tenant has asked for and not read. Only reads are refused: a write has happened, and
 * its answer says so.
 */
export const boundUnreadAnswers = (app: FastifyInstance): void => {
  const tenants = new Map<string, Unread>()

  app.addHook('preHandler', (request, _reply, done) => {
    if (tenants.size === 0 || request.method !== 'GET' || !request.call) return done()
    const untilMs = tenants.get(request.call.actor.tenantId)?.refusedUntilMs.get(request.routeOptions.url ?? '') ?? 0
    return performance.now() < untilMs ? done(tooManyUnread()) : done()
  })

  app.addHook<string | Buffer | null>('onSend', (request, reply, payload, done) => {
    if (payload === null || payload === undefined || !(payload.length >= largeBytes)) return done(null, payload)
    const tenantId = request.call?.actor.tenantId
    if (tenantId === undefined || reply.raw.destroyed) return done(null, payload)
    // One copy in bytes, which the socket takes as it is.
    const answer = typeof payload === 'string' ? Buffer.from(payload) : payload
    const unread = tenants.get(tenantId) ?? { bytes: 0, refusedUntilMs: new Map<string, number>() }
    if (request.method === 'GET' && unread.bytes > 0 && unread.bytes + answer.length > maxUnreadBytesOfTenant) {
      unread.refusedUntilMs.set(request.routeOptions.url ?? '', performance.now() + retryAfterSeconds * 1_000)
      reply.removeHeader('etag')
      return done(tooManyUnread())
    }
    tenants.set(tenantId, unread)
    unread.bytes += answer.length
    reply.raw.once('close', () => {
      unread.bytes -= answer.length
      if (unread.bytes === 0) tenants.delete(tenantId)
    })
    done(null, answer)
  })
}
