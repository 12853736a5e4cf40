import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { testAdminKey } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { userFor } from './wl.js'

/** A server that cuts the first connection, as one that is killed, and leaves the requests after it to `later`. */
const stage = async (test: TestContext, later: RequestListener) => {
  const bodies: string[] = []
  const keys = new Set<string | string[] | undefined>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    keys.add(request.headers['idempotency-key'])
    if (bodies.length === 1) request.socket.destroy()
    else later(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { user: userFor(test, { baseUrl, adminKey: testAdminKey }), bodies, keys }
}

/** What starting a process and the grace after the deadline take at most. */
const overrunMs = 2_500

describe('the deadline of wl next --wait', () => {
  it('ends a repeated request that would wait as long as the first', async (test) => {
    const { user, bodies, keys } = await stage(test, () => {})
    const startedAtMs = performance.now()
    const { code, stderr } = await user.run(['next', '--claim', '--wait', '6s'])
    const tookMs = performance.now() - startedAtMs
    assert.deepEqual([code, stderr], [3, 'No task is ready.\n'])
    assert.deepEqual([bodies.length, new Set(bodies).size, keys.size], [2, 1, 1])
    assert.ok(tookMs < quietBoundMs(6_000 + overrunMs), `took ${tookMs} ms`)
  })

  it('ends the repetitions of a request that still runs', async (test) => {
    const { user } = await stage(test, (_, response) => {
      response.writeHead(409, { 'content-type': 'application/json', 'retry-after': '1' })
      response.end('{"error":{"code":"CONFLICT","message":"It is still running.","requestId":"r","retryAfter":1}}')
    })
    const startedAtMs = performance.now()
    const { code, stderr } = await user.run(['next', '--claim', '--wait', '6s'])
    const tookMs = performance.now() - startedAtMs
    assert.equal(code, 5, stderr)
    assert.match(stderr, /^wl: .*still running/m)
    assert.ok(tookMs > 2_000, `took ${tookMs} ms`)
    assert.ok(tookMs < quietBoundMs(6_000 + overrunMs), `took ${tookMs} ms`)
  })
})
