import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send, testAdminKey } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { environmentOf, type Serving, serveProgram } from 'worklore-testing/program'
import { until } from 'worklore-testing/until'

const body = JSON.stringify({ content: 'written while stopping' })

/** A write whose head the service has read, and nothing of its body. */
const beginWrite = (baseUrl: string, key: string): Promise<Socket> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl)
    const head = `PUT /v1/knowledge/${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testAdminKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
    const socket = connect(Number(port), hostname, () => socket.write(head))
    socket.once('data', () => resolve(socket))
    socket.on('error', () => {})
  })

for (const engine of engines) {
  describe(`stopping on ${engine.name}`, () => {
    let store: TestStore
    before(async () => {
      store = await engine.createPreparedStore()
    })
    after(() => store.remove())

    const serve = (test: TestContext): Promise<Serving> =>
      serveProgram(test, {
        ...environmentOf(store),
        WORKLORE_ADMIN_KEY: testAdminKey,
        WORKLORE_PLAN: 'self-hosted',
      })

    it('finishes what is under way, takes nothing new and exits with 0', async (test) => {
      const { baseUrl, signal, ended } = await serve(test)
      const socket = await beginWrite(baseUrl, 'late')
      signal('SIGTERM')
      const isRefused = () =>
        send(baseUrl, 'GET', '/healthz', { headers: { connection: 'close' } }).then(
          () => false,
          () => true,
        )
      assert.ok(await until(isRefused, (is) => is))
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.write(body)
      assert.equal((await ended).code, 0)
      assert.match(answer, /^HTTP\/1\.1 201 /)
      const again = await serve(test)
      expectStatus(await send(again.baseUrl, 'GET', '/v1/knowledge/late', { key: testAdminKey }), 200)
      again.signal('SIGINT')
      assert.equal((await again.ended).code, 0)
    })

    it('ends at once at a second signal, which npm’s doubled Ctrl-C is not', async (test) => {
      const { baseUrl, signal, ended, outcome } = await serve(test)
      const socket = await beginWrite(baseUrl, 'never')
      signal('SIGINT')
      await until(
        async () => outcome.stderr,
        (text) => text.includes('"stopping"'),
      )
      signal('SIGINT')
      assert.equal(await Promise.race([ended, pause(500, 'still finishing')]), 'still finishing')
      await pause(600)
      const signalledAt = performance.now()
      signal('SIGTERM')
      assert.notEqual((await ended).code, 0)
      assert.ok(performance.now() - signalledAt < quietBoundMs(2_000))
      socket.destroy()
    })
  })
}
