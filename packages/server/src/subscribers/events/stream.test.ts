import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createConnection } from 'node:net'
import { after, afterEach, describe, it } from 'node:test'
import { openStream } from 'worklore-testing/event-stream'
import { until } from 'worklore-testing/until'
import { AppError } from '../../base/errors.js'
import type { Watch } from '../../changelog/watch.js'
import type { Actor } from '../../operations/actor.js'
import type { EventPage } from './read.js'
import { runStream, type Stream } from './stream.js'

const commentEveryMs = 100

const actor: Actor = {
  tenantId: 'ten_1',
  keyId: 'key_1',
  keyName: 'reader',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
}

const quiet = (isEnded: () => boolean): Watch => ({
  next: (timeoutMs) => new Promise((done) => setTimeout(done, Math.min(timeoutMs, 20))),
  get isEnded() {
    return isEnded()
  },
  end: () => {},
})

const endless = async (_tenantId: string, after: number): Promise<EventPage> => ({
  events: Array.from({ length: 100 }, (_, i) => ({
    sequence: after + 1 + i,
    id: 'evt_1',
    type: 'task.created' as const,
    createdAtMs: 0,
    json: JSON.stringify({ text: 'x'.repeat(10_000) }),
  })),
  upTo: after + 100,
  hasMore: true,
})

const nothing = async (_tenantId: string, after: number): Promise<EventPage> => ({
  events: [],
  upTo: after,
  hasMore: false,
})

describe('an event stream', () => {
  const servers: Server[] = []
  let isEnded = false
  const serve = async (stream: Partial<Stream>): Promise<string> => {
    const server = createServer((_request, response) => {
      response.writeHead(200)
      runStream({
        response,
        watch: quiet(() => isEnded),
        read: nothing,
        filter: { types: null, projectIds: null },
        after: 0,
        actorNow: () => actor,
        describeError: ({ code, reason, message }) => ({ code, reason, message }),
        hold: () => {},
        settings: { commentEveryMs, stalledAfterMs: 300 },
        ...stream,
      })
    })
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  afterEach(() => {
    isEnded = false
  })
  after(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('drops a reader that takes nothing, having read no more than the socket took', async () => {
    let reads = 0
    const url = await serve({
      read: (tenantId, after) => {
        reads++
        return endless(tenantId, after)
      },
    })
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
    socket.pause()
    socket.on('error', () => {})
    const dropped = new Promise((done) =>
      servers.at(-1)!.once('request', (_request, response) => response.once('close', done)),
    )
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await dropped
    const readsOfStalled = reads
    assert.ok(readsOfStalled < 30, `${readsOfStalled} reads of 1 MB`)
    const ended = new Promise((done) => socket.once('close', done))
    socket.resume()
    await ended
    assert.equal(reads, readsOfStalled)
  })

  it('sends a comment now and then while nothing happens', async () => {
    const startMs = performance.now()
    const stream = await openStream(await serve({}), 'any')
    const count = await until(
      async () => stream.comments.length,
      (count) => count >= 2,
    )
    const most = (performance.now() - startMs) / commentEveryMs
    assert.ok(count >= 2 && count <= most, `${count} of ${most}`)
    isEnded = true
    await stream.ended
  })

  it('outlives a store that is out of reach for a while, but not its key', async () => {
    let failures = 0
    const url = await serve({
      actorNow: () => {
        if (failures++ < 3) throw new AppError('unavailable', 'away')
        throw new AppError('revoked', 'revoked')
      },
    })
    const stream = await openStream(url, 'any')
    await stream.ended
    assert.equal(failures, 4)
    assert.deepEqual(stream.events.at(-1)!.data, { code: 'UNAUTHORIZED', message: 'revoked', reason: 'revoked' })
  })
})
