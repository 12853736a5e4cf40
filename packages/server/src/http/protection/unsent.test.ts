import assert from 'node:assert/strict'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { until } from 'worklore-testing/until'
import type { Actor } from '../../operations/actor.js'
import { runStream } from '../../subscribers/events/stream.js'
import { createUnsentBytes } from './unsent.js'

const eventBytes = 100_000

const actorOf = (tenantId: string): Actor => ({
  tenantId,
  keyId: 'key_1',
  keyName: 'reader',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
})

describe('event streams that nobody reads', () => {
  // A stream whose client does not read buffers one or two events.
  const limits = { maxBytes: 30 * eventBytes, maxBytesOfTenant: 12 * eventBytes, maxReservedOfTenant: eventBytes }
  const unsent = createUnsentBytes(limits)
  const open = new Map<string, Set<ServerResponse>>()
  let mostBytes = 0

  /** Sends an endless stream of large events to the tenant that the path names. */
  const server = createServer((request, response) => {
    const tenantId = request.url!.slice(1)
    const streams = open.get(tenantId) ?? new Set()
    open.set(tenantId, streams.add(response))
    response.once('close', () => streams.delete(response))
    response.writeHead(200)
    const json = JSON.stringify('x'.repeat(eventBytes))
    const actor = actorOf(tenantId)
    void runStream({
      response,
      describeError: () => ({}),
      watch: { next: async () => {}, isEnded: false, end: () => {} },
      read: async (_tenantId, after, _filter, limit = 100) => ({
        events: Array.from({ length: limit }, (_, at) => ({
          sequence: after + 1 + at,
          id: 'evt_1',
          type: 'task.created' as const,
          createdAtMs: 0,
          json,
        })),
        upTo: after + limit,
        hasMore: true,
      }),
      filter: { types: null, projectIds: null },
      after: 0,
      actorNow: () => actor,
      hold: (bytes) => {
        unsent.hold(response, { tenantId, bytes, isStream: true })
        mostBytes = Math.max(mostBytes, unsent.total())
      },
      settings: { commentEveryMs: 60_000, stalledAfterMs: 600_000 },
    })
  })

  const openUnread = (tenantId: string): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.pause()
        socket.write(`GET /${tenantId} HTTP/1.1\r\nHost: x\r\n\r\n`)
        resolve(socket)
      })
      socket.on('error', () => {})
    })

  const openOf = (tenantId: string): number => open.get(tenantId)?.size ?? 0
  const sockets: Socket[] = []
  const openMany = async (tenantId: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at++) sockets.push(await openUnread(tenantId))
  }

  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })

  it('are closed at the limit of their tenant, again and again', async () => {
    for (let round = 1; round <= 3; round++) {
      await openMany('one', 20)
      const closed = await until(
        async () => 20 * round - openOf('one'),
        (count) => count >= 20 * round - 12,
      )
      assert.ok(closed >= 20 * round - 12, `${closed} streams are closed`)
      assert.ok(openOf('one') > 0, 'all streams are closed')
      assert.ok(mostBytes <= limits.maxBytesOfTenant, `${mostBytes} bytes`)
    }
  })

  it('are closed at the limit of all tenants', async () => {
    for (const tenantId of ['two', 'three', 'four']) await openMany(tenantId, 15)
    const count = (): number => [...open.values()].reduce((sum, streams) => sum + streams.size, 0)
    const left = await until(
      async () => count(),
      (streams) => streams <= 30,
    )
    assert.ok(left <= 30, `${left} streams are open`)
    assert.ok(mostBytes > limits.maxBytesOfTenant && mostBytes <= limits.maxBytes, `${mostBytes} bytes`)
  })

  it('leave the bytes of those that are read', async () => {
    const reader = await openUnread('six')
    let received = 0
    reader.on('data', (chunk) => {
      received += chunk.length
    })
    reader.resume()
    await until(
      async () => received,
      (bytes) => bytes > 50 * eventBytes,
    )
    assert.ok(received > 50 * eventBytes)
    reader.destroy()
  })
})

describe('reserved large responses', () => {
  const responseOf = () => new ServerResponse(new IncomingMessage(new Socket()))
  const unsent = createUnsentBytes({ maxBytes: 100, maxBytesOfTenant: 100, maxReservedOfTenant: 60 })
  const begun: string[] = []
  const reserve = async (response: ServerResponse, tenantId: string, bytes: number): Promise<void> => {
    if (await unsent.reserve(response, { tenantId, bytes, isStream: false })) begun.push(`${tenantId} ${bytes}`)
  }

  it('begin once they fit, alternating between tenants, and close no other response', async () => {
    const [first, other] = [responseOf(), responseOf()]
    await reserve(first, 'one', 50)
    void reserve(responseOf(), 'one', 20)
    void reserve(responseOf(), 'one', 5)
    await reserve(other, 'two', 50)
    void reserve(responseOf(), 'three', 10)
    await new Promise(setImmediate)
    assert.deepEqual(begun, ['one 50', 'two 50'])
    assert.equal(unsent.total(), 100)
    first.destroy()
    first.emit('close')
    await new Promise(setImmediate)
    assert.deepEqual(begun.slice(2), ['one 20', 'three 10', 'one 5'])
    assert.equal(unsent.total(), 85)
    assert.ok(!other.destroyed)
  })

  it('are counted once even if reserved repeatedly', async () => {
    const response = responseOf()
    const before = unsent.total()
    for (let at = 0; at < 2; at++) await reserve(response, 'four', 10)
    assert.equal(unsent.total(), before + 10)
    assert.ok(unsent.isHeld(response))
  })
})
