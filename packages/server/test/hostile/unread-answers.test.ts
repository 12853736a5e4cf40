import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestService, testAdminKey } from 'worklore-testing/harness'
import { describeClientService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { getRequest, sendUnread } from './unread.js'

const stalledAfterMs = 4_000
const connections = { stalledAfterMs, checkEveryMs: 100 }

/** Reads so many answers, and gives back the request ids in their order. */
const readIds = async (socket: Socket, count: number): Promise<string[]> => {
  const ids: string[] = []
  let head = ''
  let bodyLeft = 0
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(bodyLeft, chunk.length - at)
      bodyLeft -= skipped
      at += skipped
      if (at === chunk.length) break
      const before = head.length
      head += chunk.toString('latin1', at, at + 2_000)
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) break
      at += end + 4 - before
      bodyLeft = Number(/^content-length: (\d+)/im.exec(head)![1])
      ids.push(/^x-request-id: (\S+)/im.exec(head.slice(0, end))![1]!)
      head = ''
    }
    if (ids.length >= count && bodyLeft === 0) return ids
  }
  throw new Error(`closed after ${ids.length} answers`)
}

const page = getRequest('/v1/knowledge?limit=500', testAdminKey)
const portOf = ({ baseUrl }: TestService): number => Number(new URL(baseUrl).port)

const putLargeItems = async (wl: TestService): Promise<void> => {
  for (let at = 0; at < 8; at++) await wl.put(`/v1/knowledge/large/${at}`, { content: 'x'.repeat(1_000_000) })
}

const isClosed = (socket: Socket): boolean => socket.closed || socket.destroyed

describeClientService(
  'answers that nobody reads',
  (wl) => {
    it('wait in order on their connection, and come when they are read', async () => {
      await putLargeItems(wl)
      const ids = Array.from({ length: 80 }, (_, at) => `first-${at}`)
      const requests = ids.map((id) =>
        getRequest('/openapi.json').replace('\r\n\r\n', `\r\nX-Request-Id: ${id}\r\n\r\n`),
      )
      const socket = await sendUnread(portOf(wl), requests.join(''))
      await sleep(stalledAfterMs / 2)
      assert.deepEqual(await readIds(socket, ids.length), ids)
      socket.destroy()
    })

    it('end their connection when nothing is read for a while, whatever is sent meanwhile', async () => {
      const socket = await sendUnread(portOf(wl), page)
      socket.on('error', () => {})
      const header = 'GET /v1/me HTTP/1.1\r\nX-A: '
      let sent = 0
      const sending = setInterval(() => socket.writable && socket.write(header[sent++] ?? 'a'), 200)
      await until(
        async () => socket.writable,
        (isWritable) => !isWritable,
      )
      clearInterval(sending)
      assert.ok(!socket.writable, 'still open')
      socket.destroy()
    })

    it('do not end a connection that is read slowly', async () => {
      const socket = await sendUnread(portOf(wl), page)
      let received = 0
      let pausedAt = 0
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        received += chunk.length
        if (received > 7_900_000) break
        if (received - pausedAt < 1_000_000) continue
        pausedAt = received
        await sleep(stalledAfterMs / 5)
      }
      assert.ok(received > 7_900_000, `${received} bytes`)
      socket.destroy()
    })
  },
  { connections },
)

describeClientService('large answers that nobody reads', (wl) => {
  it('are refused to a tenant that has too many of them, and not to others', async () => {
    await putLargeItems(wl)
    const sockets: Socket[] = []
    for (let at = 0; at < 14; at++) {
      sockets.push(await sendUnread(portOf(wl), page))
      await sleep(50)
    }
    const refused = await until(
      () => wl.get('/v1/knowledge?limit=500'),
      ({ status }) => status === 503,
    )
    assert.equal(refused.status, 503)
    assert.equal(refused.body.error.code, 'SERVICE_UNAVAILABLE')
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
    for (const path of ['/v1/me', '/v1/tasks']) {
      const { status, text } = await wl.get(path)
      assert.equal(status, 200, `${path}: ${text}`)
    }
    assert.equal((await wl.put('/v1/knowledge/large/0', { content: 'x'.repeat(999_999) })).status, 200)
    for (const socket of sockets) socket.destroy()
    const later = await until(
      () => wl.get('/v1/knowledge?limit=500'),
      ({ status }) => status === 200,
    )
    assert.equal(later.status, 200)
  })
})

describeClientService(
  'connections of one address',
  (wl) => {
    it('are bounded', async () => {
      const sockets = await Promise.all(Array.from({ length: 60 }, () => sendUnread(portOf(wl), '')))
      for (const socket of sockets) socket.on('error', () => {}).resume()
      const open = await until(
        async () => sockets.filter((socket) => !isClosed(socket)).length,
        (count) => count <= 50,
      )
      assert.ok(open <= 50 && open > 40, `${open} open`)
      for (const socket of sockets) socket.destroy()
      const answer = await until(
        () => wl.get('/v1/me').catch(() => ({ status: 0 })),
        ({ status }) => status === 200,
      )
      assert.equal(answer.status, 200)
    })
  },
  { config: { maxConnectionsPerAddress: 50 } },
)
