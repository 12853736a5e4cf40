import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AppError, unavailable } from '../../base/errors.js'

/** Smaller responses are bounded by the limits on connections. */
const largeBytes = 65_536
/** Leaves the rest of the 256 MiB that may be unsent in total to connections. */
const maxBytes = 201_326_592
const maxBytesOfTenant = 67_108_864
/** A larger response is written in chunks, so that the bytes written show whether its client reads. */
const chunkBytes = 262_144
const retryAfterSeconds = 1
/** How many routes of tenants are remembered in `refusedUntilMs`; limits only memory. */
const maxRefusals = 1_000

declare module 'fastify' {
  interface FastifyInstance {
    unsentBytes: UnsentBytes
  }
}

interface Held {
  readonly tenantId: string
  readonly bytes: number
  /** Whether the response is an event stream, whose client can continue after its last event. */
  readonly isStream: boolean
}

interface UnsentBytes {
  /**
   * Sets how many unsent bytes a response holds until it closes. Above a limit, closes the responses that have held
   * their bytes for longest: only streams above a tenant's limit, and responses of any kind above the total limit.
   */
  hold(response: ServerResponse, held: Held): void
  /** Whether a tenant may have this many more unsent bytes. Always true if the tenant has none. */
  fits(tenantId: string, bytes: number): boolean
  total(): number
}

const tooManyUnread = (): AppError =>
  unavailable('Too many large responses have not been read yet. Read them, then try again.', retryAfterSeconds)

export const createUnsentBytes = (limits = { maxBytes, maxBytesOfTenant }): UnsentBytes => {
  // The response whose unsent bytes have not changed for the longest time comes first.
  const held = new Map<ServerResponse, Held>()
  const tenants = new Map<string, number>()
  let total = 0

  const count = ({ tenantId }: Held, bytes: number): void => {
    total += bytes
    const ofTenant = (tenants.get(tenantId) ?? 0) + bytes
    if (ofTenant === 0) tenants.delete(tenantId)
    else tenants.set(tenantId, ofTenant)
  }

  const release = (response: ServerResponse): void => {
    const entry = held.get(response)
    if (!entry) return
    held.delete(response)
    count(entry, -entry.bytes)
  }

  /** Closes the responses that have waited longest, until the limit is met. */
  const closeOldest = (isOver: () => boolean, mayClose: (entry: Held) => boolean): void => {
    if (!isOver()) return
    for (const [response, entry] of held) {
      if (entry.bytes === 0 || !mayClose(entry)) continue
      release(response)
      response.destroy()
      if (!isOver()) return
    }
  }

  const fits = (tenantId: string, bytes: number): boolean => {
    const unsent = tenants.get(tenantId) ?? 0
    return unsent === 0 || unsent + bytes <= limits.maxBytesOfTenant
  }

  return {
    hold: (response, entry) => {
      if (response.destroyed) return
      if (held.has(response)) release(response)
      else response.once('close', () => release(response))
      held.set(response, entry)
      count(entry, entry.bytes)
      const { tenantId, isStream } = entry
      closeOldest(
        () => isStream && !fits(tenantId, 0),
        (other) => other.isStream && other.tenantId === tenantId,
      )
      closeOldest(
        () => total > limits.maxBytes,
        () => true,
      )
    },
    fits,
    total: () => total,
  }
}

const chunksOf = (bytes: Buffer): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
    })(),
    { objectMode: false },
  )

/**
 * Limits the large responses that a tenant has requested but not read. Only reads are refused: a write has already
 * happened, and its response must say so. Must be registered after compression.
 */
export const boundUnsentBytes = (app: FastifyInstance): void => {
  const unsent = createUnsentBytes()
  /** Routes per tenant whose reads are refused without running, and until when. */
  const refusedUntilMs = new Map<string, number>()
  const nameOf = ({ call, routeOptions }: FastifyRequest): string => `${call.actor.tenantId} ${routeOptions.url}`

  app.decorate('unsentBytes', unsent)
  app.addHook('preHandler', (request, _reply, done) => {
    if (unsent.total() === 0 || request.method !== 'GET' || !request.call) return done()
    const isRefused = performance.now() < (refusedUntilMs.get(nameOf(request)) ?? 0)
    return isRefused ? done(tooManyUnread()) : done()
  })

  app.addHook<string | Buffer | null>('onSend', (request, reply, payload, done) => {
    if (payload === null || payload === undefined || !(payload.length >= largeBytes)) return done(null, payload)
    const tenantId = request.call?.actor.tenantId
    if (tenantId === undefined || reply.raw.destroyed) return done(null, payload)
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    if (request.method === 'GET' && !unsent.fits(tenantId, bytes.length)) {
      if (refusedUntilMs.size >= maxRefusals) refusedUntilMs.clear()
      refusedUntilMs.set(nameOf(request), performance.now() + retryAfterSeconds * 1_000)
      for (const name of ['etag', 'content-encoding']) reply.removeHeader(name)
      return done(tooManyUnread())
    }
    unsent.hold(reply.raw, { tenantId, bytes: bytes.length, isStream: false })
    if (bytes.length <= chunkBytes || request.method === 'HEAD') return done(null, bytes)
    reply.header('content-length', bytes.length)
    done(null, chunksOf(bytes))
  })
}
