import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Awaitable } from '../../base/awaitable.js'
import { type AppError, unavailable } from '../../base/errors.js'
import { createFairQueue } from '../../scheduling/fair-queue.js'
import type { Scheduler } from '../../scheduling/scheduler.js'

/** Smaller responses are bounded by the limits on connections. */
const largeBytes = 65_536
/** Leaves the rest of the 256 MiB that may be unsent in total to connections. */
const maxBytes = 201_326_592
const maxBytesOfTenant = 67_108_864
/** A large response waits while it would raise its tenant's unsent bytes above this, so that earlier ones end soon. */
const maxReservedOfTenant = 16_777_216
/** Larger responses are written in chunks, each in its own scheduler turn. Each chunk counts as progress. */
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

interface WaitingResponse {
  readonly response: ServerResponse
  readonly entry: Held
  end(isHeld: boolean): void
}

interface UnsentBytes {
  /**
   * Sets how many unsent bytes a response holds until it closes. Above a limit, closes the responses that have held
   * their bytes for longest: only streams above a tenant's limit, and responses of any kind above the total limit.
   */
  hold(response: ServerResponse, held: Held): void
  /**
   * Waits until a response fits, and holds its bytes before it is encoded. Waiting tenants take turns. Resolves to
   * false if no response makes progress for too long.
   */
  reserve(response: ServerResponse, entry: Held): Awaitable<boolean>
  isHeld(response: ServerResponse): boolean
  /** Records that part of a large response was encoded or sent, so that waiting responses are not refused. */
  noteProgress(): void
  /** Whether a tenant may have this many more unsent bytes. Always true if the tenant has none. */
  fits(tenantId: string, bytes: number): boolean
  total(): number
}

/** How long responses wait while no other response makes progress. */
const stillMs = 5_000
const checkEveryMs = 250

export const tooManyUnread = (): AppError =>
  unavailable('Too many large responses have not been read yet. Read them, then try again.', retryAfterSeconds)

export const createUnsentBytes = (limits = { maxBytes, maxBytesOfTenant, maxReservedOfTenant }): UnsentBytes => {
  // The response whose unsent bytes have not changed for the longest time comes first.
  const held = new Map<ServerResponse, Held>()
  const tenants = new Map<string, number>()
  const waiting = createFairQueue<WaitingResponse>()
  let checking: NodeJS.Timeout | undefined
  let movedAtMs = 0
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

  const close = (response: ServerResponse): void => {
    release(response)
    beginWaiting()
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

  const hold = (response: ServerResponse, entry: Held): void => {
    if (response.destroyed) return
    if (held.has(response)) release(response)
    else response.once('close', () => close(response))
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
  }

  const canBegin = ({ tenantId, bytes }: Held): boolean => {
    const unsent = tenants.get(tenantId) ?? 0
    const fitsTenant = unsent === 0 || unsent + bytes <= limits.maxReservedOfTenant
    return fitsTenant && (total === 0 || total + bytes <= limits.maxBytes)
  }

  const isEligible = ({ response, entry }: WaitingResponse): boolean => response.destroyed || canBegin(entry)

  const beginWaiting = (): void => {
    movedAtMs = performance.now()
    for (let next = waiting.take(isEligible); next; next = waiting.take(isEligible)) {
      hold(next.response, next.entry)
      next.end(true)
    }
  }

  const check = (): void => {
    if (performance.now() - movedAtMs >= stillMs) for (const { end } of waiting.takeWhile(() => true)) end(false)
    if (waiting.size > 0) return
    clearInterval(checking)
    checking = undefined
  }

  const wait = (response: ServerResponse, entry: Held): Promise<boolean> =>
    new Promise((resolve) => {
      if (!checking) {
        movedAtMs = performance.now()
        checking = setInterval(check, checkEveryMs).unref()
      }
      waiting.push(entry.tenantId, { response, entry, end: resolve })
    })

  return {
    hold,
    reserve: (response, entry) => {
      if (held.has(response)) return true
      if (waiting.sizeOf(entry.tenantId) > 0 || !canBegin(entry)) return wait(response, entry)
      hold(response, entry)
      return true
    },
    isHeld: (response) => held.has(response),
    noteProgress: () => {
      movedAtMs = performance.now()
    },
    fits,
    total: () => total,
  }
}

const chunksOf = (bytes: Buffer, turn: () => Awaitable<void>): Readable =>
  Readable.from(
    (async function* () {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        await turn()
        yield bytes.subarray(at, at + chunkBytes)
      }
    })(),
    { objectMode: false },
  )

/**
 * Limits the large responses that a tenant has requested but not read. Only reads are refused: a write has already
 * happened, and its response must say so. Must be registered after compression.
 */
export const boundUnsentBytes = (app: FastifyInstance, scheduler: Scheduler): void => {
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
    if (request.method === 'GET' && !unsent.isHeld(reply.raw) && !unsent.fits(tenantId, bytes.length)) {
      if (refusedUntilMs.size >= maxRefusals) refusedUntilMs.clear()
      refusedUntilMs.set(nameOf(request), performance.now() + retryAfterSeconds * 1_000)
      for (const name of ['etag', 'content-encoding']) reply.removeHeader(name)
      return done(tooManyUnread())
    }
    unsent.hold(reply.raw, { tenantId, bytes: bytes.length, isStream: false })
    if (bytes.length <= chunkBytes || request.method === 'HEAD') return done(null, bytes)
    reply.header('content-length', bytes.length)
    done(
      null,
      chunksOf(bytes, () => {
        unsent.noteProgress()
        return scheduler.turn(tenantId)
      }),
    )
  })
}
