import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService, testAdminKey } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { sendRaw } from 'worklore-testing/raw-http'
import { expectRefusal } from './expect-refusal.js'

const head = `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testAdminKey}\r\nContent-Type: application/json\r\n`
/** Node looks for late requests every five seconds. */
const lookEveryMs = 5_000
const timeoutMs = 3_000

describe('slow clients', () => {
  let wl: TestService
  before(async () => {
    wl = await startService(engines[0]!)
    const { server } = wl.service.app
    assert.ok(server.headersTimeout <= server.requestTimeout, 'headers must be there before the request is')
    assert.ok(server.requestTimeout <= 30_000)
    server.headersTimeout = timeoutMs
    server.requestTimeout = timeoutMs
  })
  after(() => wl.stop())

  it('are cut off on time with a 408 while others are served', async () => {
    const dripping = (text: string) => (socket: NodeJS.WritableStream & { destroyed?: boolean }) => {
      const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write(text)), 200)
      socket.on('close', () => clearInterval(drip))
    }
    const slow = { withinMs: 120_000 }
    const cutOff = Promise.all([
      sendRaw(wl.baseUrl, 'GET /v1/tasks HT', slow),
      sendRaw(wl.baseUrl, head, { ...slow, onConnect: dripping('X-A: b\r\n') }),
      sendRaw(wl.baseUrl, `${head}Content-Length: 1000\r\n\r\n{`, slow),
      sendRaw(wl.baseUrl, `${head}Content-Length: 1000\r\n\r\n{`, { ...slow, onConnect: dripping(' ') }),
      sendRaw(wl.baseUrl, `${head}Transfer-Encoding: chunked\r\n\r\n`, { ...slow, onConnect: dripping('1\r\n \r\n') }),
    ])
    let isCutOff = false
    const served = (async () => {
      let count = 0
      for (; !isCutOff; count++) assert.equal((await wl.get('/v1/tasks')).status, 200)
      return count
    })()
    const answers = await cutOff
    isCutOff = true
    assert.ok((await served) > 0)
    for (const [at, answer] of answers.entries()) {
      const { status, durationMs } = expectRefusal(answer, `slow client ${at}`)
      assert.equal(status, 408)
      assert.ok(durationMs < timeoutMs + lookEveryMs + quietBoundMs(3_000), `cut off only after ${durationMs} ms`)
    }
  })
})
